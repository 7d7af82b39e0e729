// SPDX-License-Identifier: Apache-2.0

/// The number under which a device accepts L2CAP channels (SPSM, Vol 3, Part A, 4.22): 0x0080 to
/// 0x00FF for those that a peripheral publishes.
public typealias CBL2CAPPSM = UInt16
