// RUN: myjit opt %s -p outline-kernels | filecheck %s

// Convolutions of images are computed with the channels last; the bias is added afterwards.
// CHECK-LABEL: @convolution
// CHECK: %[[X:.*]] = torch.aten.permute %arg0
// CHECK: %[[W:.*]] = torch.aten.permute %arg1
// CHECK: %[[C:.*]] = call @myjit_call_convolution__n_2__c_8__h_9__w_9__k_4__r_3__s_3__p_4__q_4__steph_2__stepw_2{{.*}}__groups_1__type_0(%[[X]], %[[W]])
// CHECK: %[[S:.*]] = torch.aten.add.Tensor %[[C]], %arg2
// CHECK: torch.aten.permute %[[S]]
!image = !torch.vtensor<[2,8,9,9],f32>
!kernel = !torch.vtensor<[4,8,3,3],f32>
!bias = !torch.vtensor<[4],f32>
!result = !torch.vtensor<[2,4,4,4],f32>
func.func @convolution(%x: !image, %w: !kernel, %b: !bias) -> !result {
  %zero = torch.constant.int 0
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %false = torch.constant.bool false
  %none = torch.prim.ListConstruct %zero, %zero : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %twos = torch.prim.ListConstruct %two, %two : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.convolution %x, %w, %b, %twos, %none, %ones, %false, %none, %one : !image, !kernel, !bias, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !result
  return %0 : !result
}

// Of single channels the weight is read as it lies; transposed ones are no call.
// CHECK-LABEL: @single_channels
// CHECK: call @myjit_call_depthwise__n_1__c_8__h_9__w_9__k_8{{.*}}(%{{.*}}, %arg1)
// CHECK: torch.aten.convolution
// CHECK: return
!small = !torch.vtensor<[1,8,9,9],f32>
!each = !torch.vtensor<[8,1,3,3],f32>
!less = !torch.vtensor<[1,8,7,7],f32>
func.func @single_channels(%x: !small, %w: !each) -> !small {
  %zero = torch.constant.int 0
  %one = torch.constant.int 1
  %eight = torch.constant.int 8
  %false = torch.constant.bool false
  %true = torch.constant.bool true
  %nothing = torch.constant.none
  %none = torch.prim.ListConstruct %zero, %zero : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.convolution %x, %w, %nothing, %ones, %none, %ones, %false, %none, %eight : !small, !each, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !less
  %1 = torch.aten.convolution %0, %w, %nothing, %ones, %none, %ones, %true, %none, %eight : !less, !each, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !small
  return %1 : !small
}
