// Draw truth values as torch's generator for CPUs does, each from two numbers of the Mersenne Twister MT19937
// (Matsumoto and Nishimura, 1998): true where the low 53 bits of both are under a threshold.
//
// @main(state, n, threshold) -> (state, mask): the state is what `torch.Generator.get_state` returns, as 632
// words of 64 bits. Word 1 holds, in its low half, how many of the 624 numbers are left, plus one; word 2 at
// which the next one stands; the numbers begin at word 3.

#bindings = #hal.pipeline.layout<constants = 3, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>,
  #hal.pipeline.binding<storage_buffer>
]>
#as_written = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline>

hal.executable.source private @twister {
  hal.executable.export public @draw ordinal(0) layout(#bindings) count(%device: !hal.device) -> (index, index, index) {
    %one = arith.constant 1 : index
    hal.return %one, %one, %one : index, index, index
  }
  builtin.module {
    func.func @draw() attributes {translation_info = #as_written} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %c15 = arith.constant 15 : index
      %c16 = arith.constant 16 : index
      %c227 = arith.constant 227 : index
      %c240 = arith.constant 240 : index
      %c397 = arith.constant 397 : index
      %c624 = arith.constant 624 : index
      %c632 = arith.constant 632 : index
      %c639 = arith.constant 639 : index
      %c640 = arith.constant 640 : index
      %false = arith.constant false
      %true = arith.constant true
      %i1 = arith.constant 1 : i64
      %i32 = arith.constant 32 : i64
      %half = arith.constant 0xffffffff : i64

      %n_word = hal.interface.constant.load layout(#bindings) ordinal(0) : i32
      %low_word = hal.interface.constant.load layout(#bindings) ordinal(1) : i32
      %high_word = hal.interface.constant.load layout(#bindings) ordinal(2) : i32
      %n = arith.index_castui %n_word : i32 to index
      %low = arith.extui %low_word : i32 to i64
      %high = arith.extui %high_word : i32 to i64
      %high_moved = arith.shli %high, %i32 : i64
      %threshold = arith.ori %high_moved, %low : i64
      %thresholds = vector.broadcast %threshold : i64 to vector<8xi64>

      %given = hal.interface.binding.subspan layout(#bindings) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : memref<632xi64>
      %left_over = hal.interface.binding.subspan layout(#bindings) binding(1) alignment(64) offset(%c0) : memref<632xi64>
      %mask = hal.interface.binding.subspan layout(#bindings) binding(2) alignment(64) offset(%c0) : memref<?xi8>{%n}

      // The numbers of before, those that follow them, and these as they are drawn, behind one of before.
      // What lies beyond 624 is written and read, and never counts.
      %old = memref.alloca() : memref<640xi32>
      %new = memref.alloca() : memref<640xi32>
      %drawn = memref.alloca() : memref<656xi32>

      scf.for %i = %c0 to %c624 step %c8 {
        %at = arith.addi %i, %c3 : index
        %words = vector.load %given[%at] : memref<632xi64>, vector<8xi64>
        %numbers = arith.trunci %words : vector<8xi64> to vector<8xi32>
        vector.store %numbers, %new[%i] : memref<640xi32>, vector<8xi32>
      }
      %counts = memref.load %given[%c1] : memref<632xi64>
      %left_word = arith.andi %counts, %half : i64
      %left = arith.index_castui %left_word : i64 to index
      %rest = arith.subi %left, %c1 : index
      %begin = arith.subi %c624, %rest : index

      %end, %done, %carried = scf.while (%place = %begin, %count = %c0, %carry = %false) : (index, index, i1) -> (index, index, i1) {
        %more = arith.cmpi ult, %count, %n : index
        scf.condition(%more) %place, %count, %carry : index, index, i1
      } do {
      ^bb0(%place: index, %count: index, %carry: i1):
        %used_up = arith.cmpi eq, %place, %c624 : index
        %from = scf.if %used_up -> index {
          %upper = arith.constant dense<0x80000000> : vector<16xi32>
          %lower = arith.constant dense<0x7fffffff> : vector<16xi32>
          %matrix = arith.constant dense<0x9908b0df> : vector<16xi32>
          %ones = arith.constant dense<1> : vector<16xi32>
          %zeros = arith.constant dense<0> : vector<16xi32>
          scf.for %i = %c0 to %c640 step %c16 {
            %numbers = vector.load %new[%i] : memref<640xi32>, vector<16xi32>
            vector.store %numbers, %old[%i] : memref<640xi32>, vector<16xi32>
          }
          // Numbers 0 to 226 follow from those of before 397 places on, the others from those just made 227 back.
          scf.for %part = %c0 to %c2 step %c1 {
            %second = arith.cmpi eq, %part, %c1 : index
            %first_of = arith.select %second, %c227, %c0 : index
            %last_of = arith.select %second, %c624, %c227 : index
            scf.if %second {
              %first = memref.load %new[%c0] : memref<640xi32>
              memref.store %first, %old[%c624] : memref<640xi32>
            }
            scf.for %i = %first_of to %last_of step %c16 {
              %next = arith.addi %i, %c1 : index
              %ahead = arith.addi %i, %c397 : index
              %behind = arith.subi %i, %first_of : index
              %u = vector.load %old[%i] : memref<640xi32>, vector<16xi32>
              %v = vector.load %old[%next] : memref<640xi32>, vector<16xi32>
              %far = scf.if %second -> vector<16xi32> {
                %made = vector.load %new[%behind] : memref<640xi32>, vector<16xi32>
                scf.yield %made : vector<16xi32>
              } else {
                %before = vector.load %old[%ahead] : memref<640xi32>, vector<16xi32>
                scf.yield %before : vector<16xi32>
              }
              %u_bit = arith.andi %u, %upper : vector<16xi32>
              %v_bits = arith.andi %v, %lower : vector<16xi32>
              %mixed = arith.ori %u_bit, %v_bits : vector<16xi32>
              %shifted = arith.shrui %mixed, %ones : vector<16xi32>
              %odd = arith.andi %v, %ones : vector<16xi32>
              %is_odd = arith.cmpi ne, %odd, %zeros : vector<16xi32>
              %added = arith.select %is_odd, %matrix, %zeros : vector<16xi1>, vector<16xi32>
              %twisted = arith.xori %shifted, %added : vector<16xi32>
              %number = arith.xori %twisted, %far : vector<16xi32>
              vector.store %number, %new[%i] : memref<640xi32>, vector<16xi32>
            }
          }
          scf.yield %c0 : index
        } else {
          scf.yield %place : index
        }

        scf.for %i = %c0 to %c624 step %c16 {
          %by11 = arith.constant dense<11> : vector<16xi32>
          %by7 = arith.constant dense<7> : vector<16xi32>
          %by15 = arith.constant dense<15> : vector<16xi32>
          %by18 = arith.constant dense<18> : vector<16xi32>
          %bits7 = arith.constant dense<0x9d2c5680> : vector<16xi32>
          %bits15 = arith.constant dense<0xefc60000> : vector<16xi32>
          %y0 = vector.load %new[%i] : memref<640xi32>, vector<16xi32>
          %s0 = arith.shrui %y0, %by11 : vector<16xi32>
          %y1 = arith.xori %y0, %s0 : vector<16xi32>
          %s1 = arith.shli %y1, %by7 : vector<16xi32>
          %m1 = arith.andi %s1, %bits7 : vector<16xi32>
          %y2 = arith.xori %y1, %m1 : vector<16xi32>
          %s2 = arith.shli %y2, %by15 : vector<16xi32>
          %m2 = arith.andi %s2, %bits15 : vector<16xi32>
          %y3 = arith.xori %y2, %m2 : vector<16xi32>
          %s3 = arith.shrui %y3, %by18 : vector<16xi32>
          %y4 = arith.xori %y3, %s3 : vector<16xi32>
          %at = arith.addi %i, %c16 : index
          vector.store %y4, %drawn[%at] : memref<656xi32>, vector<16xi32>
        }

        // Two numbers make a value: the first one is its upper half. The last one of an odd count is carried over.
        %behind_carry = arith.addi %from, %c16 : index
        %start = arith.select %carry, %c15, %behind_carry : index
        %words = arith.subi %c640, %start : index
        %whole = arith.divui %words, %c2 : index
        %wanted = arith.subi %n, %count : index
        %pairs = arith.minui %whole, %wanted : index
        %past = arith.addi %pairs, %c8 : index
        scf.for %k = %c0 to %pairs step %c8 {
          %turn = arith.constant dense<32> : vector<8xi64>
          %bits = arith.constant dense<0x1fffffffffffff> : vector<8xi64>
          %twice = arith.muli %k, %c2 : index
          %at = arith.addi %start, %twice : index
          %both = vector.load %drawn[%at] : memref<656xi32>, vector<16xi32>
          %pair = vector.bitcast %both : vector<16xi32> to vector<8xi64>
          %up = arith.shli %pair, %turn : vector<8xi64>
          %down = arith.shrui %pair, %turn : vector<8xi64>
          %turned = arith.ori %up, %down : vector<8xi64>
          %value = arith.andi %turned, %bits : vector<8xi64>
          %under = arith.cmpi ult, %value, %thresholds : vector<8xi64>
          %bytes = arith.extui %under : vector<8xi1> to vector<8xi8>
          %to = arith.addi %count, %k : index
          %open = arith.subi %pairs, %k : index
          %fits = arith.cmpi uge, %open, %c8 : index
          scf.if %fits {
            vector.store %bytes, %mask[%to] : memref<?xi8>, vector<8xi8>
          } else {
            %kept = vector.create_mask %open : vector<8xi1>
            vector.maskedstore %mask[%to], %kept, %bytes : memref<?xi8>, vector<8xi1>, vector<8xi8>
          }
        }
        %now = arith.addi %count, %pairs : index
        %taken = arith.muli %pairs, %c2 : index
        %until = arith.addi %start, %taken : index
        %stopped = arith.subi %until, %c16 : index
        %goes_on = arith.cmpi ult, %now, %n : index
        %is_odd = arith.cmpi ult, %until, %c640 : index
        %carries = arith.andi %goes_on, %is_odd : i1
        %last = memref.load %drawn[%c639] : memref<656xi32>
        memref.store %last, %drawn[%c15] : memref<656xi32>
        %then = arith.select %goes_on, %c624, %stopped : index
        scf.yield %then, %now, %carries : index, index, i1
      }

      scf.for %i = %c0 to %c632 step %c8 {
        %words = vector.load %given[%i] : memref<632xi64>, vector<8xi64>
        vector.store %words, %left_over[%i] : memref<632xi64>, vector<8xi64>
      }
      scf.for %i = %c0 to %c624 step %c8 {
        %at = arith.addi %i, %c3 : index
        %numbers = vector.load %new[%i] : memref<640xi32>, vector<8xi32>
        %words = arith.extui %numbers : vector<8xi32> to vector<8xi64>
        vector.store %words, %left_over[%at] : memref<632xi64>, vector<8xi64>
      }
      %unused = arith.subi %c624, %end : index
      %unused_word = arith.index_castui %unused : index to i64
      %left_now = arith.addi %unused_word, %i1 : i64
      %others = arith.subi %counts, %left_word : i64
      %counts_now = arith.ori %others, %left_now : i64
      memref.store %counts_now, %left_over[%c1] : memref<632xi64>
      %end_word = arith.index_castui %end : index to i64
      memref.store %end_word, %left_over[%c2] : memref<632xi64>
      return
    }
  }
}

func.func @main(
  %state: tensor<632xi64>, %n: i64, %threshold: i64,
  %for_state: !hal.buffer {iree.abi.output = 0 : index}, %for_mask: !hal.buffer {iree.abi.output = 1 : index}
) -> (tensor<632xi64>, tensor<?xi8>) {
  %by = arith.constant 32 : i64
  %count = arith.index_cast %n : i64 to index
  %n_word = arith.trunci %n : i64 to i32
  %low = arith.trunci %threshold : i64 to i32
  %moved = arith.shrui %threshold, %by : i64
  %high = arith.trunci %moved : i64 to i32
  %drawn:2 = flow.dispatch @twister::@draw(%n_word, %low, %high, %state) : (i32, i32, i32, tensor<632xi64>) -> (tensor<632xi64>, tensor<?xi8>{%count})
  return %drawn#0, %drawn#1 : tensor<632xi64>, tensor<?xi8>
}
