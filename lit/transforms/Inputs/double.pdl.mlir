pdl.pattern @double : benefit(1) {
  %t = pdl.type
  %x = pdl.operand : %t
  %add = pdl.operation "arith.addf"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %add {
    %mul = pdl.operation "arith.mulf"(%x, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.replace %add with %mul
  }
}
