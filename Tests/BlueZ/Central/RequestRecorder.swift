// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import HCITransports
import Synchronization

/// A recorder of a client's requests on the first bearer of its links, from the packets between our
/// host and its controller. A client that trusts its cache sends no requests for a discovery.
final class RequestRecorder: Sendable {
    /// The side whose requests are recorded.
    enum Client: Sendable {
        case bluez, ourHost
    }

    private struct State {
        var deframer = H4Deframer()
        var requests: [[UInt8]] = []
    }

    private let client: Client
    private let state = Mutex(State())

    init(of client: Client = .bluez) { self.client = client }

    /// The requests and commands so far. For a request in several packets, the first packet.
    var requests: [[UInt8]] { state.withLock { $0.requests } }

    /// The requests by which a client discovers services and their content.
    var discoveries: [[UInt8]] { requests.filter(Self.isDiscovery) }

    /// Returns the number of requests with this opcode that the client sent.
    func count(of opcode: ATT.Opcode) -> Int {
        requests.count { $0.first == opcode.rawValue }
    }

    /// Returns the transport, recorded from now on.
    func listen(to transport: any HCITransport) -> any HCITransport {
        ListeningTransport(inner: transport, recorder: self)
    }

    fileprivate func note(sent packets: [[UInt8]]) {
        guard client == .ourHost else { return }
        let requests = packets.compactMap(Self.request)
        state.withLock { $0.requests += requests }
    }

    fileprivate func note(_ event: TransportEvent) {
        guard client == .bluez else { return }
        state.withLock { state in
            guard case .received(let bytes) = event else { return state.deframer = H4Deframer() }
            state.deframer.append(bytes)
            while let packet = try? state.deframer.nextRaw() {
                guard let request = Self.request(in: Array(packet)) else { continue }
                state.requests.append(request)
            }
        }
    }

    /// Returns the ATT PDU on the fixed channel that begins in an H4 packet, if a client sent it.
    /// For a PDU that continues in further packets, its beginning (Vol 4, Part E, 5.4.2; Vol 3,
    /// Part A, 3.1).
    private static func request(in packet: [UInt8]) -> [UInt8]? {
        let headerLength = 9
        let continuing: UInt8 = 0b01
        guard packet.count > headerLength, packet[0] == 0x02,
            packet[2] >> 4 & 0b11 != continuing, packet[7] == 0x04, packet[8] == 0x00
        else { return nil }
        let pdu = Array(packet[headerLength...])
        // PDUs from a server have an odd opcode (Vol 3, Part F, 3.4.8).
        return pdu[0] & 1 == 0 && pdu[0] != ATT.Opcode.handleValueConfirmation.rawValue ? pdu : nil
    }

    private static func isDiscovery(_ request: [UInt8]) -> Bool {
        switch ATT.Opcode(rawValue: request[0]) {
        case .readByGroupTypeRequest, .findInformationRequest, .findByTypeValueRequest: true
        case .readByTypeRequest:
            // Includes and characteristics. Other types are values (Vol 3, Part G, 4.5 and 4.6).
            request.suffix(2) == [0x02, 0x28] || request.suffix(2) == [0x03, 0x28]
        default: false
        }
    }
}

/// A transport that passes all packets on, and gives a copy to a recorder.
private struct ListeningTransport: HCITransport {
    let inner: any HCITransport
    let recorder: RequestRecorder

    var name: String { inner.name }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await inner.open(on: executor) { [recorder] event in
            recorder.note(event)
            receive(event)
        }
    }

    func send(_ packets: [[UInt8]]) {
        recorder.note(sent: packets)
        inner.send(packets)
    }

    func close() { inner.close() }
}
