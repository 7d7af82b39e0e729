// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Our own private addresses: with which key they are made, which of them is in use, and until when
/// (Vol 3, Part C, 10.7.1.2).
package struct PrivateAddresses: Sendable {
    /// How short and how long an address may be in use, as for the timer of controllers that make
    /// their own (Vol 4, Part E, 7.8.45).
    package static let rotationRange: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)
    /// How soon a change is tried again that the controller has refused.
    static let retryPause: Duration = .seconds(1)

    private let key: ResolvingKey
    private let rotation: Duration
    /// The controller's random address; nil before it has one.
    package private(set) var current: DeviceAddress?
    /// The one that comes after it.
    private var next: DeviceAddress?
    /// When it has been in use for as long as it may.
    private var dueAt: Instant?

    /// Addresses of this key, each for as long as `rotation`. Nil if the key is all zero.
    package init?(key: HCI.Key128, rotation: Duration) {
        guard let key = ResolvingKey(key) else { return nil }
        self.key = key
        let range = Self.rotationRange
        self.rotation = min(max(rotation, range.lowerBound), range.upperBound)
    }

    /// An address that was never used.
    package func makeAddress(using generator: inout some RandomNumberGenerator) -> DeviceAddress? {
        key.makeAddress(using: &generator)
    }

    /// The controller has this random address from now on.
    package mutating func took(
        _ address: DeviceAddress,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) {
        current = address
        next = makeAddress(using: &generator)
        dueAt = now + rotation
    }

    /// The controller keeps the address that it has.
    mutating func refused(now: Instant) {
        dueAt = now + Self.retryPause
    }

    /// The controller has forgotten its address.
    mutating func forget() {
        current = nil
        next = nil
        dueAt = nil
    }

    /// When another address is to take its place; nil if there is none.
    var changesAt: Instant? { next == nil ? nil : dueAt }

    /// The address that is due in place of the present one; nil while that is good.
    func successor(now: Instant) -> DeviceAddress? {
        changesAt.map { now >= $0 } ?? false ? next : nil
    }
}
