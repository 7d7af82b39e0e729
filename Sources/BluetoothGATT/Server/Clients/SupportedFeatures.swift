// SPDX-License-Identifier: Apache-2.0

/// The features that a client supports: the bits of Client Supported Features (Vol 3, Part G, 7.2).
enum ClientFeatures {
    static let robustCaching: UInt8 = 1 << 0
    static let enhancedBearer: UInt8 = 1 << 1
    static let multipleHandleValueNotifications: UInt8 = 1 << 2

    /// All known bits. Other bits are not stored.
    static let all = robustCaching | enhancedBearer | multipleHandleValueNotifications
}
