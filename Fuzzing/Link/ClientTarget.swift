// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport

/// Runs a client whose server sends any data, while the application starts and cancels operations
/// and time passes. Each operation ends once.
func fuzzClient(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var client = FuzzedClient(mtu: input.flag() ? 517 : 64)
    while !input.isAtEnd { client.step(&input) }
    client.finish()
}

private struct FuzzedClient {
    var client: DrivenClient
    var now = Instant.zero
    /// The operations that have not ended.
    var open: Set<DrivenClient.OperationID> = []
    var lastOperation: DrivenClient.OperationID = 0
    /// The last PDU that the client sent.
    var request: [UInt8] = []

    init(mtu: Int) {
        client = DrivenClient(receiveMTULimit: mtu)
    }

    mutating func step(_ input: inout FuzzInput) {
        switch input.number(below: 12) {
        case 0, 1: start(&input)
        case 2: receive(client.cancel(DrivenClient.OperationID(input.byte())))
        case 3: pass(.seconds(input.number(below: 40)))
        case 4: receive(client.receive(input.bytes()[...], now: now))
        case 5: client.client.expectServiceChanged(at: AttributeHandle(input.word()))
        case 6: client.bearer.respond(.writeResponse)
        default:
            send()
            receive(client.receive(answer(&input)[...], now: now))
        }
        require(client.operationCount <= DrivenClient.operationLimit, "too many operations")
        require((23...517).contains(client.mtu), "an impossible MTU")
    }

    private mutating func start(_ input: inout FuzzInput) {
        guard let operation = operation(&input) else { return }
        lastOperation += 1
        open.insert(lastOperation)
        receive(client.start(operation, id: lastOperation))
    }

    private func operation(_ input: inout FuzzInput) -> GATT.Operation? {
        let handle = AttributeHandle(1 + UInt16(input.number(below: 20)))
        let (first, last) = (AttributeHandle.first, AttributeHandle.last)
        return input.pick([
            .exchangeMTU, .discoverPrimaryServices(uuid: nil),
            .discoverPrimaryServices(uuid: .init(0x180F)), .discoverSecondaryServices,
            .findIncludedServices(first: first, last: last),
            .discoverCharacteristics(first: first, last: last, uuid: nil),
            .discoverCharacteristics(first: handle, last: last, uuid: .init(0x2A00)),
            .discoverDescriptors(first: handle, last: last),
            .discoverAllDescriptors([handle...last]), .readDatabaseHash, .read(handle),
            .readLong(handle), .readUsingUUID(.init(0x2A00), first: first, last: last),
            .readMultiple([handle, .init(4)]), .readMultipleVariable([handle, .init(4)]),
            .write(handle, [1]), .writeLong(handle, offset: 3, Array(0..<200)),
            .reliableWrite([.init(handle: handle, value: Array(0..<50))]),
            .writeWithoutResponse(handle, [1]),
            .subscribe(valueHandle: handle, descriptor: .init(4), .indication),
            .unsubscribe(valueHandle: handle, descriptor: .init(4)),
        ])
    }

    private mutating func send() {
        guard let outgoing = client.nextPDU(now: now) else { return }
        require(outgoing.bytes.count <= client.mtu, "a PDU longer than the MTU")
        require((try? ATT.PDU(parsing: outgoing.bytes[...])) != nil, "a PDU that cannot be parsed")
        request = outgoing.bytes
        receive(outgoing.actions)
    }

    /// Returns an Error Response to the last request, or bytes with the opcode of its response.
    private func answer(_ input: inout FuzzInput) -> [UInt8] {
        guard let opcode = request.first else { return input.bytes() }
        switch input.number(below: 4) {
        case 0: return [0x01, opcode] + input.take(3)
        // A Prepare Write Response repeats the value of its request.
        case 1: return [opcode &+ 1] + request.dropFirst()
        default: return [opcode &+ 1] + input.bytes()
        }
    }

    private mutating func pass(_ duration: Duration) {
        now = now + duration
        guard let deadline = client.nextDeadline, deadline <= now else { return }
        receive(client.deadlinePassed(now: now))
        if let next = client.nextDeadline { require(next > now, "a deadline never passes") }
    }

    private mutating func receive(_ actions: [DrivenClient.Action]) {
        for action in actions {
            guard case .completed(let id, _) = action else { continue }
            require(open.remove(id) != nil, "operation \(id) ends twice")
        }
    }

    mutating func finish() {
        receive(client.close())
        require(open.isEmpty, "operations that do not end: \(open)")
    }
}
