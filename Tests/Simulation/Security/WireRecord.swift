// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VirtualRadio

/// The traffic between the hosts and their controllers: data, and when links were encrypted.
final class WireRecord: Sendable {
    /// A packet or event that a host sent or received.
    enum Entry: Equatable, Sendable {
        /// The beginning of a frame: its channel and the first byte of the payload.
        case frame(channel: UInt16, opcode: UInt8, WireDirection)
        /// A new link.
        case connected
        /// The link is encrypted.
        case encrypted
    }

    struct State {
        var entries: [(controller: ControllerID, entry: Entry)] = []
        /// The number of Security Manager PDUs that have arrived at a host.
        var pairingCount = 0
        /// The number of PDUs at which a waiting task resumes, and the stream that it waits for.
        var alarm: (count: Int, wake: AsyncStream<Void>.Continuation)?
    }

    private let state = Mutex(State())

    private static let securityManager: UInt16 = 0x0006

    func add(_ packet: PassedPacket) {
        for bytes in packet.bytes.packets {
            if let entry = Entry(bytes, packet.direction) { add(entry, of: packet.controller) }
        }
    }

    private func add(_ entry: Entry, of controller: ControllerID) {
        state.withLock { state in
            state.entries.append((controller, entry))
            guard case .frame(Self.securityManager, _, .toHost) = entry else { return }
            state.pairingCount += 1
            if let alarm = state.alarm, alarm.count == state.pairingCount { alarm.wake.finish() }
        }
    }

    /// The number of Security Manager PDUs that have arrived.
    var pairingCount: Int { state.withLock { $0.pairingCount } }

    /// Returns a stream that ends when this many Security Manager PDUs have arrived.
    func alarm(after count: Int) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.alarm = (count, continuation) }
        return stream
    }

    /// Returns the entries of a controller's host from the beginning of its latest link until the
    /// encryption of that link.
    func entriesBeforeEncryption(at controller: ControllerID) -> [Entry] {
        state.withLock { state in
            let own = state.entries.filter { $0.controller == controller }.map(\.entry)
            let start = own.lastIndex(of: .connected) ?? 0
            return Array(own[start...].dropFirst().prefix { $0 != .encrypted })
        }
    }
}

extension WireRecord.Entry {
    /// Parses H4 packets: data, with the header of a frame, and the events about links.
    init?(_ packet: [UInt8], _ direction: WireDirection) {
        switch packet.first {
        case 0x02 where packet.count > 9 && packet[2] & 0x30 != 0x10:
            let channel = UInt16(packet[7]) | UInt16(packet[8]) << 8
            self = .frame(channel: channel, opcode: packet[9], direction)
        case 0x04 where packet.count > 4 && [0x08, 0x59].contains(packet[1]) && packet[3] == 0:
            self = .encrypted
        case 0x04
        where packet.count > 4 && packet[1] == 0x3E && [0x01, 0x0A, 0x29].contains(packet[3]):
            self = .connected
        default: return nil
        }
    }
}

extension [UInt8] {
    /// The H4 packets in these bytes. A host writes several packets together.
    fileprivate var packets: [[UInt8]] {
        var packets: [[UInt8]] = []
        var rest = self[...]
        while let type = rest.first, rest.count > 4 {
            let header = rest.prefix(5).map(Int.init)
            let length =
                switch type {
                case 0x01: 4 + header[3]
                case 0x02: 5 + header[3] + header[4] << 8
                default: 3 + header[2]
                }
            packets.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return packets
    }
}
