// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport

@testable import BluetoothHost
@testable import HostHarness

/// Runs a host with three peers and a controller that also sends arbitrary data. Every request ends
/// once, and the host can be shut down.
func fuzzHost(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var host = FuzzedHost()
    for _ in 0..<stepLimit where !input.isAtEnd { host.step(&input) }
    host.finish()
}

/// The number of steps of one host.
private let stepLimit = 400
/// The number of deadlines in one step of the clock.
private let deadlineLimit = 2_000

private struct FuzzedHost {
    private var harness = ready
    private var requests: [RequestIdentifier] = []
    private var scans: [RequestIdentifier] = []
    private var sets: [RequestIdentifier] = []

    private static let peers = (1...3).map { ModelPeer($0) }

    /// A host that has started and acts as a server, copied for each input.
    private static let ready: Harness = {
        var harness = Harness(.rich, peers: peers) { configuration in
            configuration.randomness = SplitMix64(seed: 1)
            configuration.pairingDelegate = Delegate()
        }
        harness.open()
        harness.drive(atMost: 1_000)
        require(harness.core.state == .ready, "the host does not start")
        let service = GATT.ServiceDefinition(
            BluetoothUUID(0x1809),
            [
                .init(BluetoothUUID(0x2A1C), [.read, .write, .notify], value: .stored([1, 2, 3])),
                .init(BluetoothUUID(0x2A1D), [.read, .write, .writeWithoutResponse]),
                .init(
                    BluetoothUUID(0x2A21),
                    [.read, .write, .indicate],
                    permissions: .init(read: .encrypted, write: .authenticated),
                    value: .stored([9])
                ),
            ]
        )
        require((try? harness.core.publish(service, now: harness.now)) != nil, "nothing to serve")
        _ = try? harness.core.listen(0x0080, terms: ListenerTerms(), backlogLimit: 4)
        harness.performActions()
        return harness
    }()

    private struct Delegate: PairingDelegate {}

    mutating func step(_ input: inout FuzzInput) {
        switch input.number(below: 16) {
        case 0, 1: harness.feed(event(&input))
        case 2: harness.feed(metaEvent(&input))
        case 3, 4: harness.feed(data(&input))
        case 5: harness.feed(input.bytes())
        case 6: requestConnection(&input)
        case 7, 8: ask(&input)
        case 9: askForChannel(&input)
        case 10: answer(&input)
        case 11: useRadio(&input)
        case 12: changePeers(&input)
        case 13: pass(.milliseconds(4 * Int(input.word())))
        default: harness.drive(atMost: input.number(below: 16))
        }
        harness.performActions()
    }

    // MARK: The controller

    private func event(_ input: inout FuzzInput) -> [UInt8] {
        let code = input.byte()
        let parameters = input.bytes()
        return [0x04, code, UInt8(parameters.count)] + parameters
    }

    private func metaEvent(_ input: inout FuzzInput) -> [UInt8] {
        let parameters = [input.byte() % 0x30] + input.take(input.number(below: 64))
        return [0x04, 0x3E, UInt8(parameters.count)] + parameters
    }

    private func data(_ input: inout FuzzInput) -> [UInt8] {
        let handle = ConnectionHandle(rawValue: 0x40 + UInt16(input.number(below: 4)))
        let channel = ChannelIdentifier(rawValue: input.pick([4, 5, 6, 0x40, 0x41, 0x3A]) ?? 4)
        let isWhole = input.number(below: 8) != 0
        let payload = input.bytes()
        return HCI.ACLPacket(
            connectionHandle: handle,
            boundary: isWhole ? .firstFlushable : .continuing,
            payload: (isWhole ? L2CAPFrame.encode(payload, on: channel) : payload)[...]
        ).h4Bytes
    }

    // MARK: The application

    private func link(_ input: inout FuzzInput) -> LinkIdentifier? {
        input.pick(harness.core.linkList.map(\.identifier))
    }

    private mutating func requestConnection(_ input: inout FuzzInput) {
        guard let peer = input.pick(Self.peers) else { return }
        let options = input.flag() ? ConnectOptions() : .whenAvailable
        requests.append(harness.requestConnection(peer.address, options))
    }

    private mutating func ask(_ input: inout FuzzInput) {
        guard let link = link(&input) else { return }
        let handle = AttributeHandle(UInt16(1 + input.number(below: 12)))
        let request = input.pick(
            [
                .gatt(.read(handle)), .gatt(.readLong(handle)), .gatt(.write(handle, [1, 2])),
                .gatt(.writeLong(handle, offset: 0, Array(0..<200))),
                .gatt(.discoverPrimaryServices(uuid: nil)), .gatt(.exchangeMTU),
                .gatt(.subscribe(valueHandle: handle, descriptor: handle, .notification)),
                .gatt(.writeWithoutResponse(handle, [3])), .writeSigned(handle, [4]), .database,
                .readRSSI, .setDataLength(bytes: 100), .setPHY(transmit: .le2M, receive: .le2M),
                .readPHY, .readRemoteVersion, .pair(Pairing.Policy()), .disconnect,
                .updateParameters(
                    ConnectionUpdate(
                        intervalMinimum: .milliseconds(30),
                        intervalMaximum: .milliseconds(50)
                    )
                ),
            ] as [LinkRequest]
        )
        if let request { requests.append(harness.ask(request, of: link)) }
    }

    private mutating func askForChannel(_ input: inout FuzzInput) {
        guard let link = link(&input) else { return }
        let number = ChannelNumber(rawValue: UInt64(input.number(below: 4)))
        let request = input.pick(
            [
                .open(0x0080, .credit, count: 1, L2CAP.ChannelOptions()),
                .open(0x0080, .enhanced, count: 2, L2CAP.ChannelOptions()),
                .send(Array(0..<100), number), .receive(number),
                .resize([number], mtu: 300, mps: 100),
                .close(number), .awaitEnd(number),
            ] as [ChannelRequest]
        )
        if let request { requests.append(harness.ask(request, of: link)) }
    }

    private mutating func answer(_ input: inout FuzzInput) {
        if input.flag(), let link = link(&input) {
            let answer = input.pick(
                [.yes, .no, .passkey(UInt32(input.word()))] as [Pairing.Answer]
            )
            if let answer { harness.core.answer(answer, on: link, now: harness.now) }
        } else if let question = harness.serverQuestions.last {
            let value = input.bytes()
            let result: Result<[UInt8], ATT.ErrorCode> =
                input.flag() ? .success(value) : .failure(.valueNotAllowed)
            harness.core.answer(question, result, now: harness.now)
        }
    }

    private mutating func useRadio(_ input: inout FuzzInput) {
        switch input.number(below: 5) {
        case 0: scans.append(harness.scan())
        case 1: if let scan = scans.popLast() { harness.core.stopScan(scan, now: harness.now) }
        case 2: sets.append(harness.advertise(Advertising(kind: .connectable)))
        case 3: if let set = sets.popLast() { harness.core.stopAdvertising(set, now: harness.now) }
        default:
            guard let link = link(&input) else { return }
            let handle = AttributeHandle(UInt16(input.byte()))
            let id = harness.takeRequest()
            let value = GATT.AttributeValue(handle: handle, value: [5])
            requests.append(id)
            harness.core.notify([value], on: link, id: id, now: harness.now)
        }
    }

    private mutating func changePeers(_ input: inout FuzzInput) {
        guard let peer = input.pick(Self.peers)?.address else { return }
        switch input.number(below: 6) {
        case 0: harness.controller.dropLink(to: peer, .connectionTimeout)
        case 1: harness.controller.restart()
        case 2: _ = harness.controller.acceptConnection(from: peer)
        case 3: harness.controller.sendSecurity(input.bytes(), from: peer)
        case 4: harness.controller.notify(input.bytes(), from: peer)
        default: harness.loseTransport()
        }
    }

    // MARK: Time and end

    private mutating func pass(_ duration: Duration) {
        let end = harness.now + duration
        for _ in 0..<deadlineLimit {
            guard let deadline = harness.core.nextDeadline, deadline <= end else { break }
            harness.now = max(harness.now, deadline)
            harness.core.deadlinePassed(now: harness.now)
            harness.drive(atMost: 50)
        }
        harness.now = end
    }

    mutating func finish() {
        harness.core.shutDown(now: harness.now)
        harness.performActions()
        pass(HostCore.shutdownLimit)
        require(harness.core.state == .closed, "the host does not shut down: \(harness.core.state)")
        require(harness.core.linkList.isEmpty, "links that outlive their host")
        require(harness.core.nextDeadline == nil, "a deadline of a host that is closed")
        let open = harness.unfinished(requests)
        require(open.isEmpty, "requests that do not end once: \(open)")
    }
}

extension Harness {
    /// The questions of the server to the application.
    fileprivate var serverQuestions: [GATTServer.RequestID] {
        clientEvents.compactMap { if case .asked(let id, _) = $0.event { id } else { nil } }
    }
}
