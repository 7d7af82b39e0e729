// SPDX-License-Identifier: Apache-2.0

/// The number on which a device accepts L2CAP channels (SPSM, Vol 3, Part A, 4.22). Published
/// channels have numbers from 0x0080 to 0x00FF.
public typealias CBL2CAPPSM = UInt16
