"""Kernels whose workgroups a team of the process's own threads shares.

A kernel is a function that IREE calls once a workgroup. Its place takes one that, called for the first
workgroup, runs all of them, and called for the others does nothing. The address of the table of functions
(`myjit.mlir.parameters.TABLE`) is written into the compiled code when that is loaded, behind a mark; where
nobody did, and for dispatches of little memory, all workgroups run on the calling thread.
"""

from __future__ import annotations

import struct
from typing import Any

from myjit.mlir.denormals import KEEPING_DENORMALS, keeps_denormals
from myjit.mlir.entries import PARAMETERS, exports, surround
from myjit.mlir.operations import symbol_name
from myjit.mlir.parameters import TABLE

_MARK = 0x6D79_6A69_74F0_9D86
#: What stands in front of a slot for the table's address, and the size of that slot.
MARKER = struct.pack("<qq", _MARK, ~_MARK)
SLOT_BYTES = 8

#: The attribute of an exported kernel that says that what it calls has threads of its own.
OWN_THREADS = "myjit.own_threads"
#: Chunks that the workgroups are handed out in: several for each thread, since some are done sooner.
_CHUNKS = 64
#: Numbers of 64 bits from one range's next workgroup to the other's, so that each has a cache line.
_APART = 8

# IREE's own structures, as its code generator writes them (runtime/src/iree/hal/local/executable_library.h).
_DISPATCH = "!llvm.struct<(i32, i32, i16, i16, i32, i32, i16, i8, i8, ptr, ptr, ptr)>"
_GROUP = "!llvm.struct<(i32, i32, i16, i16, i32, ptr, i32)>"
#: The environment, the dispatch, the kernel; how many workgroups there are, and ranges of them; the next
#: workgroup of each range; what tells a thread's number in the team; what kernels returned.
_WORK = "!llvm.struct<(ptr, ptr, ptr, i64, i64, ptr, ptr, i32)>"

_SOURCE = f"""
llvm.mlir.global internal @myjit_process(dense<[{_MARK}, {~_MARK}, 0]> : tensor<3xi64>)
    {{sym_visibility = "private"}} : !llvm.array<3 x i64>

// Run workgroups until none is left, those of the thread's own range first. Several threads do so at once.
llvm.func internal @myjit_take_part(%work: !llvm.ptr) attributes {{sym_visibility = "private"}} {{
  %one = llvm.mlir.constant(1 : i64) : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %zero32 = llvm.mlir.constant(0 : i32) : i32
  %chunks = llvm.mlir.constant({_CHUNKS} : i64) : i64
  %apart = llvm.mlir.constant({_APART} : i64) : i64
  %all = llvm.load %work : !llvm.ptr -> {_WORK}
  %env = llvm.extractvalue %all[0] : {_WORK}
  %dispatch = llvm.extractvalue %all[1] : {_WORK}
  %kernel = llvm.extractvalue %all[2] : {_WORK}
  %count = llvm.extractvalue %all[3] : {_WORK}
  %ranges = llvm.extractvalue %all[4] : {_WORK}
  %nexts = llvm.extractvalue %all[5] : {_WORK}
  %number = llvm.extractvalue %all[6] : {_WORK}
  %state = llvm.load %dispatch : !llvm.ptr -> {_DISPATCH}
  %across32 = llvm.extractvalue %state[4] : {_DISPATCH}
  %down32 = llvm.extractvalue %state[5] : {_DISPATCH}
  %across = llvm.zext %across32 : i32 to i64
  %down = llvm.zext %down32 : i32 to i64
  %group = llvm.alloca %one x {_GROUP} {{alignment = 64 : i64}} : (i64) -> !llvm.ptr
  %empty = llvm.mlir.zero : {_GROUP}
  llvm.store %empty, %group : {_GROUP}, !llvm.ptr
  %group_x = llvm.getelementptr %group[0, 0] : (!llvm.ptr) -> !llvm.ptr, {_GROUP}
  %group_y = llvm.getelementptr %group[0, 1] : (!llvm.ptr) -> !llvm.ptr, {_GROUP}
  %group_z = llvm.getelementptr %group[0, 2] : (!llvm.ptr) -> !llvm.ptr, {_GROUP}
  %codes = llvm.alloca %one x i32 : (i64) -> !llvm.ptr
  llvm.store %zero32, %codes : i32, !llvm.ptr
  %mode = llvm.call @myjit_keep_denormals() : () -> i32
  %share = llvm.udiv %count, %chunks : i64
  %chunk = llvm.add %share, %one : i64
  %several = llvm.icmp "ugt" %ranges, %one : i64
  llvm.cond_br %several, ^ask, ^range(%zero, %zero : i64, i64)
^ask:
  %own32 = llvm.call %number() : !llvm.ptr, () -> i32
  %own64 = llvm.zext %own32 : i32 to i64
  %own = llvm.urem %own64, %ranges : i64
  llvm.br ^range(%zero, %own : i64, i64)
^range(%seen: i64, %range: i64):
  %unseen = llvm.icmp "ult" %seen, %ranges : i64
  llvm.cond_br %unseen, ^enter, ^done
^enter:
  %line = llvm.mul %range, %apart : i64
  %next = llvm.getelementptr %nexts[%line] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %after = llvm.add %range, %one : i64
  %upto = llvm.mul %after, %count : i64
  %limit = llvm.udiv %upto, %ranges : i64
  llvm.br ^take
^leave:
  %met = llvm.add %seen, %one : i64
  %is_last = llvm.icmp "eq" %after, %ranges : i64
  %other = llvm.select %is_last, %zero, %after : i1, i64
  llvm.br ^range(%met, %other : i64, i64)
^take:
  %first = llvm.atomicrmw add %next, %chunk monotonic : !llvm.ptr, i64
  %any = llvm.icmp "ult" %first, %limit : i64
  llvm.cond_br %any, ^begin, ^leave
^begin:
  %past = llvm.add %first, %chunk : i64
  %end = llvm.intr.umin(%past, %limit) : (i64, i64) -> i64
  %x0 = llvm.urem %first, %across : i64
  %row = llvm.udiv %first, %across : i64
  %y0 = llvm.urem %row, %down : i64
  %z0 = llvm.udiv %row, %down : i64
  llvm.br ^each(%first, %x0, %y0, %z0 : i64, i64, i64, i64)
^each(%i: i64, %x: i64, %y: i64, %z: i64):
  %x32 = llvm.trunc %x : i64 to i32
  %y32 = llvm.trunc %y : i64 to i32
  %z16 = llvm.trunc %z : i64 to i16
  llvm.store %x32, %group_x : i32, !llvm.ptr
  llvm.store %y32, %group_y : i32, !llvm.ptr
  llvm.store %z16, %group_z : i16, !llvm.ptr
  %code = llvm.call %kernel(%env, %dispatch, %group) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
  %before = llvm.load %codes : !llvm.ptr -> i32
  %since = llvm.or %before, %code : i32
  llvm.store %since, %codes : i32, !llvm.ptr
  %right = llvm.add %x, %one : i64
  %below = llvm.add %y, %one : i64
  %behind = llvm.add %z, %one : i64
  %wrap_x = llvm.icmp "eq" %right, %across : i64
  %last_y = llvm.icmp "eq" %below, %down : i64
  %wrap_y = llvm.and %wrap_x, %last_y : i1
  %next_x = llvm.select %wrap_x, %zero, %right : i1, i64
  %moved_y = llvm.select %wrap_x, %below, %y : i1, i64
  %next_y = llvm.select %wrap_y, %zero, %moved_y : i1, i64
  %next_z = llvm.select %wrap_y, %behind, %z : i1, i64
  %following = llvm.add %i, %one : i64
  %more = llvm.icmp "ult" %following, %end : i64
  llvm.cond_br %more, ^each(%following, %next_x, %next_y, %next_z : i64, i64, i64, i64), ^take
^done:
  %status = llvm.getelementptr %work[0, 7] : (!llvm.ptr) -> !llvm.ptr, {_WORK}
  %returned = llvm.load %codes : !llvm.ptr -> i32
  %ignored = llvm.atomicrmw _or %status, %returned monotonic : !llvm.ptr, i32
  llvm.call @myjit_restore_mode(%mode) : (i32) -> ()
  llvm.return
}}

// Called for each workgroup of a dispatch: run all for the first.
llvm.func internal @myjit_share(
    %env: !llvm.ptr, %dispatch: !llvm.ptr, %group: !llvm.ptr, %kernel: !llvm.ptr, %least: i64, %own: i1)
    -> i32 attributes {{sym_visibility = "private"}} {{
  %zero = llvm.mlir.constant(0 : i32) : i32
  %zero64 = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %here = llvm.load %group : !llvm.ptr -> {_GROUP}
  %x = llvm.extractvalue %here[0] : {_GROUP}
  %y = llvm.extractvalue %here[1] : {_GROUP}
  %z16 = llvm.extractvalue %here[2] : {_GROUP}
  %z = llvm.zext %z16 : i16 to i32
  %xy = llvm.or %x, %y : i32
  %xyz = llvm.or %xy, %z : i32
  %is_first = llvm.icmp "eq" %xyz, %zero : i32
  llvm.cond_br %is_first, ^first, ^others
^others:
  llvm.return %zero : i32
^first:
  %state = llvm.load %dispatch : !llvm.ptr -> {_DISPATCH}
  %across32 = llvm.extractvalue %state[4] : {_DISPATCH}
  %down32 = llvm.extractvalue %state[5] : {_DISPATCH}
  %deep16 = llvm.extractvalue %state[6] : {_DISPATCH}
  %across = llvm.zext %across32 : i32 to i64
  %down = llvm.zext %down32 : i32 to i64
  %deep = llvm.zext %deep16 : i16 to i64
  %layer = llvm.mul %across, %down : i64
  %count = llvm.mul %layer, %deep : i64
  %work = llvm.alloca %one x {_WORK} : (i64) -> !llvm.ptr
  %single = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  llvm.store %zero64, %single : i64, !llvm.ptr
  %0 = llvm.mlir.zero : {_WORK}
  %1 = llvm.insertvalue %env, %0[0] : {_WORK}
  %2 = llvm.insertvalue %dispatch, %1[1] : {_WORK}
  %3 = llvm.insertvalue %kernel, %2[2] : {_WORK}
  %4 = llvm.insertvalue %count, %3[3] : {_WORK}
  %5 = llvm.insertvalue %one, %4[4] : {_WORK}
  %6 = llvm.insertvalue %single, %5[5] : {_WORK}
  llvm.store %6, %work : {_WORK}, !llvm.ptr
  %buffers8 = llvm.extractvalue %state[8] : {_DISPATCH}
  %buffers = llvm.zext %buffers8 : i8 to i64
  %lengths = llvm.extractvalue %state[11] : {_DISPATCH}
  llvm.br ^measure(%zero64, %zero64 : i64, i64)
^measure(%i: i64, %bytes: i64):
  %has_more = llvm.icmp "ult" %i, %buffers : i64
  llvm.cond_br %has_more, ^add, ^measured
^add:
  %place = llvm.getelementptr %lengths[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %length = llvm.load %place : !llvm.ptr -> i64
  %sum = llvm.add %bytes, %length : i64
  %following = llvm.add %i, %one : i64
  llvm.br ^measure(%following, %sum : i64, i64)
^measured:
  %process = llvm.mlir.addressof @myjit_process : !llvm.ptr
  %slot = llvm.getelementptr %process[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<3 x i64>
  %address = llvm.load volatile %slot : !llvm.ptr -> i64
  %is_joined = llvm.icmp "ne" %address, %zero64 : i64
  %is_large = llvm.icmp "uge" %bytes, %least : i64
  %several = llvm.icmp "ugt" %count, %one : i64
  %pays = llvm.and %is_large, %several : i1
  %shares = llvm.and %pays, %is_joined : i1
  llvm.cond_br %shares, ^look, ^alone
^look:
  %table = llvm.inttoptr %address : i64 to !llvm.ptr
  %entry0 = llvm.getelementptr %table[{TABLE.index("parallel")}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %entry1 = llvm.getelementptr %table[{TABLE.index("threads")}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %entry2 = llvm.getelementptr %table[{TABLE.index("number")}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %parallel = llvm.load %entry0 : !llvm.ptr -> !llvm.ptr
  %threads = llvm.load %entry1 : !llvm.ptr -> !llvm.ptr
  %number = llvm.load %entry2 : !llvm.ptr -> !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %has_team = llvm.icmp "ne" %parallel, %null : !llvm.ptr
  llvm.cond_br %has_team, ^team, ^alone
^team:
  %size = llvm.call %threads() : !llvm.ptr, () -> i32
  %size64 = llvm.sext %size : i32 to i64
  %true = llvm.mlir.constant(true) : i1
  %none_idle = llvm.icmp "sge" %count, %size64 : i64
  %others_do = llvm.xor %own, %true : i1
  %fits = llvm.or %none_idle, %others_do : i1
  llvm.cond_br %fits, ^lay_out, ^alone
^lay_out:
  %apart = llvm.mlir.constant({_APART} : i64) : i64
  %room = llvm.mul %size64, %apart : i64
  %nexts = llvm.alloca %room x i64 {{alignment = 64 : i64}} : (i64) -> !llvm.ptr
  llvm.br ^range(%zero64 : i64)
^range(%range: i64):
  %line = llvm.mul %range, %apart : i64
  %next = llvm.getelementptr %nexts[%line] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %upto = llvm.mul %range, %count : i64
  %first = llvm.udiv %upto, %size64 : i64
  llvm.store %first, %next : i64, !llvm.ptr
  %after = llvm.add %range, %one : i64
  %more = llvm.icmp "ult" %after, %size64 : i64
  llvm.cond_br %more, ^range(%after : i64), ^together
^together:
  %7 = llvm.insertvalue %size64, %6[4] : {_WORK}
  %8 = llvm.insertvalue %nexts, %7[5] : {_WORK}
  %9 = llvm.insertvalue %number, %8[6] : {_WORK}
  llvm.store %9, %work : {_WORK}, !llvm.ptr
  %take_part = llvm.mlir.addressof @myjit_take_part : !llvm.ptr
  // Threads that begin here go on in the mode of the one that began them, in all that they do later.
  %mode = llvm.call @myjit_keep_denormals() : () -> i32
  llvm.call %parallel(%take_part, %work, %size, %zero) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32, i32) -> ()
  llvm.call @myjit_restore_mode(%mode) : (i32) -> ()
  llvm.br ^done
^alone:
  llvm.call @myjit_take_part(%work) : (!llvm.ptr) -> ()
  llvm.br ^done
^done:
  %status = llvm.getelementptr %work[0, 7] : (!llvm.ptr) -> !llvm.ptr, {_WORK}
  %code = llvm.load %status : !llvm.ptr -> i32
  llvm.return %code : i32
}}
"""
_ENTRY = f"""
llvm.func @{{kernel}}(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @myjit_share(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i1) -> i32
llvm.func @{{name}}{PARAMETERS} {{{{
  %kernel = llvm.mlir.addressof @{{kernel}} : !llvm.ptr
  %least = llvm.mlir.constant({{least}} : i64) : i64
  %own = llvm.mlir.constant({{own}}) : i1
  %code = llvm.call @myjit_share(%env, %dispatch, %group, %kernel, %least, %own) :
      (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i1) -> i32
  llvm.return %code : i32
}}}}
"""


def share_workgroups(variant: Any, least: int) -> None:
    """Have teams share the workgroups of an executable variant's kernels, from so many bytes of buffers on.

    Kernels that call what has threads of its own are shared where there is a workgroup for each thread.
    """

    def entry(export: Any, kernel: str) -> str:
        own = "true" if OWN_THREADS in export.attributes else "false"
        return _ENTRY.format(name=symbol_name(export), kernel=kernel, least=least, own=own)

    shared = [export for export in exports(variant) if "workgroup_local_memory" not in export.attributes]
    surround(variant, shared, KEEPING_DENORMALS + _SOURCE, "_workgroup", entry)
    for export in shared:
        keeps_denormals(export)
