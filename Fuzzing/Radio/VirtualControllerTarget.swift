// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

@testable import VirtualRadio

/// Runs two controllers whose hosts send any data: commands in valid and invalid forms, data
/// packets, and bytes.
func fuzzVirtualController(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let world = World(seed: 1)
    guard let first = try? world.addController(.init(name: "first", at: Position(x: 0, y: 0))),
        let second = try? world.addController(.init(name: "second", at: Position(x: 1, y: 0)))
    else { fatalError("the world refuses two controllers") }
    let controllers = [first, second]
    for controller in controllers { world.attach(controller) { check($0) } }
    if input.flag() { connect(first, second, in: world) }
    while !input.isAtEnd {
        let controller = input.flag() ? first : second
        switch input.number(below: 8) {
        case 0: world.send(input.bytes(), to: controller)
        case 1: world.run(for: .microseconds(Int64(input.word())))
        case 2: world.send(HCI.EncodedCommand(HCI.Reset()).h4Packet, to: controller)
        case 3:
            let handle = ConnectionHandle(rawValue: UInt16(input.number(below: 4)))
            let boundary = HCI.PacketBoundary(rawValue: input.byte() & 3) ?? .complete
            let payload = input.bytes()
            let packet = HCI.ACLPacket(
                connectionHandle: handle,
                boundary: boundary,
                payload: payload[...]
            )
            world.send(packet.h4Bytes, to: controller)
        default: world.send(command(&input), to: controller)
        }
    }
    world.run(for: .milliseconds(50))
    checkAlive(controllers, in: world)
}

private func command(_ input: inout FuzzInput) -> [UInt8] {
    let opcode = input.pick(offered) ?? .reset
    var parameters = input.take(lengths[opcode] ?? 0)
    if input.number(below: 16) == 0 { parameters = input.bytes() }
    return HCI.Packet.command(opcode: opcode, parameters: parameters[...]).h4Bytes
}

private let offered = CommandTable.handlers.keys.sorted { $0.rawValue < $1.rawValue }

/// The length of the parameters of each command, if they are zeros.
private let lengths: [HCI.Opcode: Int] = Dictionary(
    uniqueKeysWithValues: offered.map { opcode in
        let length = (0...255).first { length in
            let zeros = [UInt8](repeating: 0, count: length)
            return (try? HCI.command(opcode: opcode, parameters: zeros[...])) != nil
        }
        return (opcode, length ?? 0)
    }
)

/// Creates a link with valid commands of two hosts.
private func connect(_ central: ControllerID, _ peripheral: ControllerID, in world: World) {
    let address = HCI.BareAddress(value: 0xC000_0000_0001)
    let all = HCI.EncodedCommand(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: .max)))
    for controller in [central, peripheral] { world.send(all.h4Packet, to: controller) }
    world.send(
        HCI.EncodedCommand(HCI.LESetRandomAddress(address: address)).h4Packet,
        to: peripheral
    )
    // Connectable and undirected, from the random address, every 20 ms (Vol 4, Part E, 7.8.5).
    let advertise: [UInt8] =
        [0x20, 0, 0x20, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 6) + [7, 0]
    world.send([0x01, 0x06, 0x20, UInt8(advertise.count)] + advertise, to: peripheral)
    world.send(
        HCI.EncodedCommand(HCI.LESetAdvertisingEnable(isEnabled: true)).h4Packet,
        to: peripheral
    )
    // Continuous scanning for that address, with a connection interval of 20 ms (7.8.12).
    let create: [UInt8] =
        [0x10, 0, 0x10, 0, 0, 1, 1, 0, 0, 0, 0, 0xC0]
        + [0, 0x10, 0, 0x10, 0, 0, 0, 0x64, 0, 0, 0, 0, 0]
    world.send([0x01, 0x0D, 0x20, UInt8(create.count)] + create, to: central)
    world.run(for: .milliseconds(60))
}

/// Checks that a packet of a controller is data or an event that can be decoded.
private func check(_ bytes: [UInt8]) {
    switch try? HCI.Packet(h4: bytes[...]) {
    case .acl: break
    case .event(let code, let parameters):
        let event = try? HCI.Event(code: code, parameters: parameters)
        require(event != nil, "a malformed event: \(bytes)")
    default: fatalError("a packet is neither an event nor data: \(bytes)")
    }
}

/// Checks that both controllers still answer a reset after the end of a truncated packet.
private func checkAlive(_ controllers: [ControllerID], in world: World) {
    let reset = HCI.EncodedCommand(HCI.Reset()).h4Packet
    let answer = HCI.Event.completed(.reset, [0]).packet.h4Bytes
    let enough = (HostStream.dataLengthLimit * 4 + 1_024) / reset.count
    for controller in controllers {
        var last: [UInt8] = []
        world.attach(controller) { last = $0 }
        world.send([0x00], to: controller)
        for _ in 0..<enough where last != answer {
            world.send(reset, to: controller)
            world.run(for: .microseconds(1))
        }
        require(last == answer, "a controller does not answer a reset")
    }
}
