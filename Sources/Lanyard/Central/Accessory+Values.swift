// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Accessory {
    // MARK: Reading and writing

    /// Reads the value of a characteristic.
    ///
    /// ```swift
    /// let level = try await accessory.read("2A19").first
    /// ```
    ///
    /// The description must declare the characteristic, which can be read as soon as it is
    /// discovered.
    ///
    /// - Parameter characteristic: The UUID of the characteristic. If several services have it, the
    ///   first one in the description applies.
    /// - Returns: The value.
    /// - Throws: ``AccessoryError/notConnected``; ``AccessoryError/unknownCharacteristic(_:)`` if
    ///   the description does not declare the characteristic or it is not discovered;
    ///   ``AccessoryError/notPermitted(_:)`` if it cannot be read;
    ///   ``AccessoryError/refused(code:text:)``; ``AccessoryError/linkEnded``;
    ///   ``AccessoryError/servicesChanged``; ``AccessoryError/tooManyRequests(limit:)`` if 256
    ///   requests wait; ``AccessoryError/requestTimedOut(after:)`` after
    ///   ``AccessoryTimeouts/requests``; ``AccessoryError/shutDown``; ``AccessoryError/cancelled``.
    public func read(_ characteristic: BluetoothID) async throws(AccessoryError) -> Data {
        try await driver.read(characteristic, of: snapshot)
    }

    /// Writes a value in a single write, after the writes that already wait.
    ///
    /// ```swift
    /// try await accessory.write(Data([1]), to: "2A06")
    /// ```
    ///
    /// With response, the call returns when the accessory has confirmed the write. Without
    /// response, it returns when the system has accepted the value, which happens as soon as the
    /// system has room.
    ///
    /// - Parameters:
    ///   - value: The value, at most ``maximumWriteLength(for:)`` bytes.
    ///   - characteristic: The UUID of the characteristic. If several services have it, the first
    ///     one in the description applies.
    ///   - kind: The kind of the write.
    /// - Throws: ``AccessoryError/notConnected``; ``AccessoryError/unknownCharacteristic(_:)`` if
    ///   the description does not declare the characteristic or it is not discovered;
    ///   ``AccessoryError/notPermitted(_:)`` if it does not permit this kind of write;
    ///   ``AccessoryError/tooManyWrites(limit:)`` if 128 writes wait;
    ///   ``AccessoryError/tooLong(length:maximum:)``; ``AccessoryError/refused(code:text:)``;
    ///   ``AccessoryError/writeInterrupted(sent:of:)`` if the link ends or the service changes
    ///   first; ``AccessoryError/requestTimedOut(after:)`` if the write makes no progress for
    ///   ``AccessoryTimeouts/requests``; ``AccessoryError/shutDown``; ``AccessoryError/cancelled``.
    public func write(
        _ value: Data,
        to characteristic: BluetoothID,
        as kind: WriteKind = .automatic
    ) async throws(AccessoryError) {
        try await driver.write(value, to: characteristic, of: snapshot, as: kind, mayBeCut: false)
    }

    /// Writes a value that may be longer than one write, in as many chunks as necessary.
    ///
    /// ```swift
    /// try await accessory.writeInChunks(firmware, to: data, as: .withoutResponse) { sent in
    ///     print(sent, "of", firmware.count)
    /// }
    /// ```
    ///
    /// The chunks are written in order, and no other write comes between them. With response, each
    /// chunk waits for the accessory's confirmation of the previous one. Without response, it waits
    /// only until the system can accept it. The app and the accessory agree on how the chunks are
    /// joined.
    ///
    /// The call returns when the last chunk was confirmed or accepted. If the task is canceled
    /// earlier, no further chunks are written.
    ///
    /// - Parameters:
    ///   - value: The value, of any length.
    ///   - characteristic: The UUID of the characteristic. If several services have it, the first
    ///     one in the description applies.
    ///   - kind: The kind of the writes.
    ///   - progress: A closure that receives the number of bytes written so far. It runs on the
    ///     central's queue.
    /// - Throws: The errors of ``write(_:to:as:)`` except
    ///   ``AccessoryError/tooLong(length:maximum:)``.
    public func writeInChunks(
        _ value: Data,
        to characteristic: BluetoothID,
        as kind: WriteKind = .automatic,
        progress: (@Sendable (_ sent: Int) -> Void)? = nil
    ) async throws(AccessoryError) {
        try await driver.write(
            value,
            to: characteristic,
            of: snapshot,
            as: kind,
            mayBeCut: true,
            progress
        )
    }

    /// Returns the length of the longest value that fits in one write.
    ///
    /// - Parameter kind: The kind of the write. For ``WriteKind/automatic``, the result is the
    ///   smaller of the other two lengths.
    /// - Returns: The length in bytes; 0 unless the accessory is connected.
    public func maximumWriteLength(for kind: WriteKind) -> Int {
        snapshot.maximumWriteLength(for: kind)
    }

    /// Returns the values of a characteristic: those that the accessory sends, and those that are
    /// read.
    ///
    /// ```swift
    /// for await value in try accessory.values(of: "2A37") {
    ///     print(try HeartRateMeasurement(decoding: value))
    /// }
    /// ```
    ///
    /// The accessory sends values only if the characteristic has the role `subscribe` in the
    /// description. The sequence continues after the loss of a link, but lacks the values that the
    /// accessory had in the meantime. It ends when the accessory is forgotten, when its central
    /// ends, or when a discovery does not find the characteristic.
    ///
    /// - Parameter characteristic: The UUID of the characteristic. If several services have it, the
    ///   first one in the description applies.
    /// - Returns: The values from now on, which the sequence buffers for one loop.
    /// - Throws: ``AccessoryError/unknownCharacteristic(_:)`` if the description does not declare
    ///   the characteristic, or the accessory's latest discovery did not find it.
    public func values(
        of characteristic: BluetoothID
    ) throws(AccessoryError) -> Events<Data> {
        guard description.path(of: characteristic) != nil else {
            throw .unknownCharacteristic(characteristic)
        }
        // Subscribe first, and test afterward. If a discovery after the test does not find the
        // characteristic, the driver ends the subscription.
        let values = snapshot.values(of: characteristic)
        guard !snapshot.lacks(characteristic) else { throw .unknownCharacteristic(characteristic) }
        return values.keeping(lifetime)
    }

    // MARK: The link

    /// Measures the strength of the accessory's signal.
    ///
    /// - Returns: The signal strength (RSSI) in dBm.
    /// - Throws: ``AccessoryError/notConnected``, ``AccessoryError/tooManyRequests(limit:)`` if 256
    ///   requests wait, ``AccessoryError/refused(code:text:)``, ``AccessoryError/linkEnded``,
    ///   ``AccessoryError/requestTimedOut(after:)`` after ``AccessoryTimeouts/requests``,
    ///   ``AccessoryError/shutDown``, ``AccessoryError/cancelled``.
    public func rssi() async throws(AccessoryError) -> Int {
        try await driver.rssi(of: snapshot)
    }

    /// Opens an L2CAP channel: a byte stream that is usually faster than characteristics.
    ///
    /// - Parameter psm: The number of the channel at the accessory, which often publishes it in a
    ///   characteristic.
    /// - Returns: The open channel. Releasing the channel closes it.
    /// - Throws: ``AccessoryError/notConnected``, ``AccessoryError/tooManyRequests(limit:)`` if 256
    ///   requests wait, ``AccessoryError/refused(code:text:)``, ``AccessoryError/linkEnded``,
    ///   ``AccessoryError/requestTimedOut(after:)`` after ``AccessoryTimeouts/requests``,
    ///   ``AccessoryError/shutDown``, ``AccessoryError/cancelled``.
    public func openChannel(psm: UInt16) async throws(AccessoryError) -> ByteChannel {
        let channel = try await driver.openChannel(psm, to: snapshot)
        channel.keep(lifetime)
        return channel
    }
}

/// The kind of a write.
public enum WriteKind: Hashable, Sendable {
    /// With response if the characteristic permits it, otherwise without.
    case automatic
    /// The accessory confirms each chunk (Vol 3, Part G, 4.9.3).
    case withResponse
    /// The accessory does not confirm the write; this is faster (Vol 3, Part G, 4.9.1).
    case withoutResponse
}
