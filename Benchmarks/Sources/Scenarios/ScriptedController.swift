// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// A controller with one peer and `advertiserCount` advertisers, all of which consist of prepared
/// bytes.
///
/// It runs on the host's own executor behind an in-process transport: a packet costs a call and no
/// thread change.
actor ScriptedController {
    /// The number of devices that advertise.
    static let advertiserCount = 500

    private let executor: any HostExecutor
    private let transport: any HCITransport
    private var replies: [[UInt8]] = []
    private let reports = (0..<advertiserCount).map(advertisingReport)
    private var nextReport = 0
    /// Whether a scan reports the peer in addition to the requested advertisers.
    private let advertisesPeer: Bool
    /// The task that waits for an answer of the host's server.
    private var waiter: CheckedContinuation<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(
        transport: any HCITransport,
        executor: any HostExecutor,
        advertisesPeer: Bool = false
    ) {
        self.transport = transport
        self.executor = executor
        self.advertisesPeer = advertisesPeer
    }

    func start() async throws {
        try await transport.open(on: executor) { [weak self] event in
            guard case .received(let bytes) = event else { return }
            self?.assumeIsolated { $0.receive(bytes) }
        }
    }

    /// Sends packets prepared by the caller in one piece.
    func send(_ packets: [[UInt8]]) {
        transport.send(packets)
    }

    /// Sends a request of the peer to the host's server, and waits for the response.
    func exchange(_ packet: [UInt8]) async {
        await withCheckedContinuation { continuation in
            waiter = continuation
            transport.send([packet])
        }
    }

    /// Sends this number of advertising reports, each in its own event.
    func advertise(count: Int) {
        let packets = (0..<count).map { reports[(nextReport + $0) % reports.count] }
        nextReport = (nextReport + count) % reports.count
        transport.send(packets)
    }

    // MARK: Packets from the host

    private func receive(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let type = rest.first {
            let start = rest.startIndex
            let count = type == 0x01 ? 4 + Int(rest[start + 3]) : 5 + Int(rest[start + 3])
            let packet = rest.prefix(count)
            if type == 0x01 { receiveCommand(packet) } else { receiveData(packet) }
            rest = rest.dropFirst(count)
        }
        guard !replies.isEmpty else { return }
        transport.send(replies)
        replies.removeAll(keepingCapacity: true)
    }

    private func receiveData(_ packet: ArraySlice<UInt8>) {
        replies.append([0x04, 0x13, 5, 1, ScriptedServer.connectionHandle, 0, 1, 0])
        let pdu = packet.dropFirst(9)
        if let response = ScriptedServer.response(to: pdu) {
            replies.append(response)
        } else if ScriptedServer.isAnswer(pdu) {
            waiter?.resume()
            waiter = nil
        }
    }

    private func receiveCommand(_ packet: ArraySlice<UInt8>) {
        let low = packet[packet.startIndex + 1]
        let high = packet[packet.startIndex + 2]
        switch UInt16(low) | UInt16(high) << 8 {
        case 0x200D:
            replies += [Self.status(low, high), Self.connectionComplete]
        case 0x2016:
            replies += [Self.status(low, high), Self.remoteFeatures]
        case 0x200C where advertisesPeer:
            replies += [[0x04, 0x0E, 4, 1, low, high, 0], Self.peerReport]
        case 0x0406:
            replies += [Self.status(low, high), Self.disconnectionComplete]
        case let opcode:
            let parameters = Self.returnParameters[opcode] ?? []
            replies.append(
                [0x04, 0x0E, UInt8(4 + parameters.count), 1, low, high, 0] + parameters
            )
        }
    }
}

// The prepared bytes: Vol 4, Part E, 7.
extension ScriptedController {
    static let peer = DeviceAddress(value: 0x00AA_0100_0042, kind: .public)

    private static let handle = ScriptedServer.connectionHandle

    private static func status(_ low: UInt8, _ high: UInt8) -> [UInt8] {
        [0x04, 0x0F, 4, 0, 1, low, high]
    }

    /// An interval of 30 ms, no latency, a supervision timeout of 720 ms.
    private static let connectionComplete: [UInt8] =
        [0x04, 0x3E, 19, 0x01, 0, handle, 0, 0, 0] + peer.littleEndianBytes
        + [24, 0, 0, 0, 72, 0, 0]
    private static let remoteFeatures: [UInt8] =
        [0x04, 0x3E, 12, 0x04, 0, handle, 0] + [UInt8](repeating: 0, count: 8)
    private static let disconnectionComplete: [UInt8] = [0x04, 0x05, 4, 0, handle, 0, 0x16]

    /// The return parameters after the status, for commands that have any.
    private static let returnParameters: [UInt16: [UInt8]] = [
        0x1001: [9, 0, 0, 9, 0xFF, 0xFF, 0, 0],
        0x1002: supportedCommands,
        0x1003: [UInt8](repeating: 0, count: 8),
        0x1009: [1, 0, 0, 1, 0xAA, 0],
        0x2002: [251, 0, 8],
        0x2003: [UInt8](repeating: 0, count: 8),
    ]

    /// Vol 4, Part E, 6.27: the commands that a Low Energy central of 4.0 needs.
    private static let supportedCommands: [UInt8] = {
        let bits = [
            (0, 5), (5, 6), (5, 7), (14, 3), (14, 5), (15, 1), (25, 0), (25, 1), (25, 2), (25, 4),
            (26, 2), (26, 3), (26, 4), (26, 5), (27, 2), (27, 5),
        ]
        return bits.reduce(into: [UInt8](repeating: 0, count: 64)) { bytes, place in
            bytes[place.0] |= 1 << UInt8(place.1)
        }
    }()

    /// The peer advertises its service.
    private static let peerReport: [UInt8] =
        [0x04, 0x3E, 19, 0x02, 1, 0x00, 0x00] + peer.littleEndianBytes
        + [7, 2, 0x01, 0x06, 3, 0x03, 0xF0, 0xFF, 0xC4]

    /// Returns a connectable advertisement of a device of its own: flags, a name, a service, and
    /// manufacturer data; 31 bytes as most have (Vol 4, Part E, 7.7.65.2).
    private static func advertisingReport(of number: Int) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: number)
        let high = UInt8(truncatingIfNeeded: number >> 8)
        let data: [UInt8] =
            [2, 0x01, 0x06, 3, 0x03, 0x0F, 0x18, 9, 0x09] + Array("Lanyard".utf8)
            + [UInt8(ascii: "0") + UInt8(number % 10)]
            + [13, 0xFF, 0xFF, 0xFF, low, high] + [UInt8](repeating: 0x33, count: 8)
        return [0x04, 0x3E, UInt8(12 + data.count), 0x02, 1, 0x00, 0x01]
            + [low, high, 0x22, 0x33, 0x44, 0xC5] + [UInt8(data.count)] + data + [0xC4]
    }
}
