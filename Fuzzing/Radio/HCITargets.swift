// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

@testable import BluetoothHCI
@testable import HCITransports

extension FuzzTarget {
    static let radioTargets = [
        FuzzTarget("h4", fuzzH4),
        FuzzTarget("hci-events", fuzzEvents),
        FuzzTarget("hci-commands", fuzzCommands),
        FuzzTarget("serial-startup", fuzzSerialStartUp),
        FuzzTarget("kernel-management", fuzzManagement),
        FuzzTarget("virtual-controller", fuzzVirtualController),
        FuzzTarget("rootcanal", fuzzRootCanal),
        FuzzTarget("advertising", fuzzAdvertising),
    ]
}

/// Reads a stream at once and in chunks, which must give the same packets.
private func fuzzH4(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let isNoisy = input.flag()
    let size = 1 + input.number(below: 16)
    let stream = input.remaining()
    var whole = H4Deframer()
    var pieces = H4Deframer()
    if isNoisy {
        whole.resynchronize()
        pieces.resynchronize()
    }
    var apart: [HCI.Packet] = []
    for start in stride(from: 0, to: stream.count, by: size) {
        apart += packets(stream[start..<min(start + size, stream.count)], &pieces)
    }
    require(packets(stream[...], &whole) == apart, "the chunks of a stream change its packets")
    for packet in apart {
        require((try? HCI.Packet(h4: packet.h4Bytes[...])) == packet, "another packet comes back")
        require(!HCI.describe(packet).isEmpty, "a packet without a description")
    }
}

/// Returns the complete packets, up to a framing error.
private func packets(_ bytes: ArraySlice<UInt8>, _ deframer: inout H4Deframer) -> [HCI.Packet] {
    deframer.append(bytes)
    var packets: [HCI.Packet] = []
    while let packet = try? deframer.next() { packets.append(packet) }
    return packets
}

/// Reads an event. The first byte is its code.
private func fuzzEvents(_ bytes: [UInt8]) {
    guard let code = bytes.first else { return }
    let event = try? HCI.Event(code: HCI.EventCode(rawValue: code), parameters: bytes.dropFirst())
    guard let event else { return }
    require(!HCI.describe(event).isEmpty, "an event without a description")
    guard case .event(let code, let parameters) = event.packet else {
        fatalError("the packet of an event is not an event")
    }
    require(
        (try? HCI.Event(code: code, parameters: parameters)) == event,
        "another event comes back"
    )
}

/// Reads a command and its response. The first bytes select the opcode, and the others are the
/// parameters of both.
private func fuzzCommands(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let opcode =
        input.flag()
        ? HCI.Opcode(rawValue: input.word()) : input.pick(opcodes) ?? HCI.Opcode(rawValue: 0)
    // The length of a packet is one byte, so no packet has more parameters.
    let parameters = Array(input.remaining().prefix(0xFF))
    let result = CommandResult.complete(parameters[...])
    decode(result, of: opcode)
    guard let command = try? HCI.command(opcode: opcode, parameters: parameters[...]) else {
        return
    }
    let packet = HCI.EncodedCommand(command).h4Packet
    guard case .command(_, let encoded)? = try? HCI.Packet(h4: packet[...]) else {
        fatalError("the packet of a command is not a command")
    }
    require(
        (try? HCI.command(opcode: opcode, parameters: encoded)) != nil,
        "\(command) cannot be parsed again"
    )
    require(
        !HCI.describe(.command(opcode: opcode, parameters: encoded)).isEmpty,
        "a command without a description"
    )
}

private let opcodes = HCI.commandTypesByOpcode.keys.sorted { $0.rawValue < $1.rawValue }

private func decode(_ result: CommandResult, of opcode: HCI.Opcode) {
    func decode<Command: CommandCompleteCommand>(_ type: Command.Type) {
        _ = try? result.decode(as: type)
    }
    if let type = HCI.commandTypesByOpcode[opcode] as? any CommandCompleteCommand.Type {
        decode(type)
    }
    try? result.requireSuccess()
}

/// Runs the startup of a serial line with bytes from the line and with time.
private func fuzzSerialStartUp(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let lines = ["/dev/x@1000000", "/dev/x@3000000,vendor=broadcom", "/dev/x@921600,start=115200"]
    guard let line = input.pick(lines).flatMap({ try? SerialLine($0[...]) }) else { return }
    var startUp = SerialStartUp(line)
    var now = Instant.zero
    var actions = startUp.begin(now: now)
    var sent = 0
    while !input.isAtEnd {
        if input.number(below: 4) == 0, let deadline = startUp.nextDeadline {
            now = max(now, deadline)
            actions = startUp.deadlinePassed(now: now)
        } else {
            actions = startUp.receive(input.bytes()[...], now: now)
        }
        for action in actions {
            if case .send = action { sent += 1 }
            if case .finish(let outcome) = action {
                require(
                    [line.speed, line.startSpeed ?? line.speed].contains(outcome.speed),
                    "the startup ends with an unknown speed"
                )
            }
        }
        require(sent <= 64, "the startup sends too many packets")
    }
}

/// Reads a message of the kernel, a response in it, and a record of an adapter.
private func fuzzManagement(_ bytes: [UInt8]) {
    _ = SystemAdapterRecord(bytes)
    guard let message = ManagementMessage(bytes[...]) else { return }
    require(message.bytes == bytes, "another message comes back")
    _ = message.changesAdapters
    for command: UInt16 in [0x0003, 0x0036] {
        guard case .done(let answer)? = message.answer(to: command) else { continue }
        let indices = ManagementMessage.indices(answer) ?? []
        require(indices.count * 2 <= answer.count, "more adapters than bytes")
    }
}
