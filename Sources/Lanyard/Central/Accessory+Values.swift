// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Accessory {
    // MARK: Reading and writing

    /// Reads a value.
    ///
    /// ```swift
    /// let level = try await accessory.read("2A19").first
    /// ```
    ///
    /// The characteristic is one of the description's. It can be read as soon as it was discovered: in
    /// the states `connected` and `ready`.
    ///
    /// - Throws: `notConnected`, `unknownCharacteristic`, `notPermitted`, `refused`, `linkEnded`,
    ///   `requestTimedOut` (`AccessoryTimeouts.requests`), `cancelled`.
    public func read(_ characteristic: BluetoothID) async throws(AccessoryError) -> Data {
        try await driver.read(characteristic, of: mirror)
    }

    /// Writes a value, in one write, behind those that wait already.
    ///
    /// ```swift
    /// try await accessory.write(Data([1]), to: "2A06")
    /// ```
    ///
    /// With response it returns when the accessory has confirmed it; without, when the system has taken it,
    /// which it does when there is room.
    ///
    /// - Throws: `notConnected`, `unknownCharacteristic`, `notPermitted`, `tooManyWrites`, `tooLong`
    ///   (see `maximumWriteLength(for:)`), `refused`, `writeInterrupted`, `requestTimedOut`, `cancelled`.
    public func write(
        _ value: Data,
        to characteristic: BluetoothID,
        as kind: WriteKind = .automatic
    ) async throws(AccessoryError) {
        try await driver.write(value, to: characteristic, of: mirror, as: kind, mayBeCut: false)
    }

    /// Writes what is longer than one write can be, in as many as it takes.
    ///
    /// ```swift
    /// try await accessory.writeInChunks(firmware, to: data, as: .withoutResponse) { sent in
    ///     print(sent, "of", firmware.count)
    /// }
    /// ```
    ///
    /// Chunks go out in order, and nothing else is written in between. With response each of them waits for
    /// the accessory's confirmation; without, for room only, so that the accessory decides how fast it goes.
    /// What the accessory makes of the chunks is between it and the application.
    ///
    /// Returns when the last chunk was confirmed, or taken. If the task is cancelled before, no more chunks
    /// follow.
    ///
    /// - Parameter progress: is told how many octets went out so far, on a queue of the central's.
    /// - Throws: What `write(_:to:as:)` does, but for `tooLong`.
    public func writeInChunks(
        _ value: Data,
        to characteristic: BluetoothID,
        as kind: WriteKind = .automatic,
        progress: (@Sendable (_ sent: Int) -> Void)? = nil
    ) async throws(AccessoryError) {
        try await driver.write(
            value,
            to: characteristic,
            of: mirror,
            as: kind,
            mayBeCut: true,
            progress
        )
    }

    /// The longest value that goes out in one write, in octets; 0 unless it is connected.
    public func maximumWriteLength(for kind: WriteKind) -> Int {
        mirror.maximumWriteLength(for: kind)
    }

    /// The values of a characteristic that come by themselves, and those that are read.
    ///
    /// ```swift
    /// for await value in accessory.values(of: "2A37") {
    ///     print(try HeartRateMeasurement(decoding: value))
    /// }
    /// ```
    ///
    /// The characteristic has the role `subscribe` in the description, so that the accessory sends its
    /// values whenever it is ready. It goes on after a link was lost: values that the accessory had
    /// meanwhile are missing. Ends when the accessory is forgotten, or its central gone.
    public func values(of characteristic: BluetoothID) -> Events<Data> {
        mirror.values(of: characteristic).keeping(life)
    }

    // MARK: The link

    /// Measures how strongly it is received, in dBm.
    ///
    /// - Throws: `notConnected`, `refused`, `linkEnded`, `requestTimedOut`, `cancelled`.
    public func rssi() async throws(AccessoryError) -> Int {
        try await driver.rssi(of: mirror)
    }

    /// Opens an L2CAP channel: a pipe for octets, faster than characteristics are.
    ///
    /// - Parameter psm: the number under which the accessory has it, often read from a characteristic.
    /// - Throws: `notConnected`, `refused`, `linkEnded`, `requestTimedOut`, `cancelled`.
    public func openChannel(psm: UInt16) async throws(AccessoryError) -> ByteChannel {
        let channel = try await driver.openChannel(psm, to: mirror)
        channel.keep(life)
        return channel
    }
}

/// How a value is written.
public enum WriteKind: Hashable, Sendable {
    /// As the characteristic allows: with response if it can be, else without.
    case automatic
    /// The accessory confirms each chunk (Vol 3, Part G, 4.9.3).
    case withResponse
    /// Nobody confirms anything; faster (Vol 3, Part G, 4.9.1).
    case withoutResponse
}
