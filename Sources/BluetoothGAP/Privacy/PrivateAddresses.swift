// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The host's private addresses: their key, the current address and the time of its change (Vol 3,
/// Part C, 10.7.1.2).
package struct PrivateAddresses: Sendable {
    /// The shortest and longest time for which an address is used. A controller that generates
    /// private addresses has the same limits (Vol 4, Part E, 7.8.45).
    package static let rotationRange: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)
    /// The pause before another attempt after a refusal.
    static let retryPause: Duration = .seconds(1)

    private let key: ResolvingKey
    private let rotation: Duration
    /// The controller's random address, or `nil` if it has none.
    package private(set) var current: DeviceAddress?
    /// The next random address.
    private var next: DeviceAddress?
    /// The time at which the use of the current address should end.
    private var dueAt: Instant?

    /// Creates the addresses of a key, each used for `rotation`. Returns `nil` if the key is all
    /// zero.
    package init?(key: HCI.Key128, rotation: Duration) {
        guard let key = ResolvingKey(key) else { return nil }
        self.key = key
        let range = Self.rotationRange
        self.rotation = min(max(rotation, range.lowerBound), range.upperBound)
    }

    package func makeAddress(using generator: inout some RandomNumberGenerator) -> DeviceAddress? {
        key.makeAddress(using: &generator)
    }

    /// Records that the controller has this random address from now on.
    package mutating func took(
        _ address: DeviceAddress,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) {
        current = address
        next = makeAddress(using: &generator)
        dueAt = now + rotation
    }

    /// Records that the controller refused the next address.
    mutating func refused(now: Instant) {
        dueAt = now + Self.retryPause
    }

    /// Records that the controller no longer has an address.
    mutating func forget() {
        current = nil
        next = nil
        dueAt = nil
    }

    /// The time at which the address changes, or `nil` if there is no next address.
    var changesAt: Instant? { next == nil ? nil : dueAt }

    /// Returns the next address if the change is due, and `nil` otherwise.
    func successor(now: Instant) -> DeviceAddress? {
        changesAt.map { now >= $0 } ?? false ? next : nil
    }
}
