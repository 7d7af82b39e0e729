// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Finds the link that a command or an event is about.
enum ConnectionOfPacket {
    /// The link; nil if the packet is about none, or about several.
    static func find(in packet: HCI.Packet) -> ConnectionHandle? {
        switch packet {
        case .acl(let packet): packet.connectionHandle
        case .command(let opcode, let parameters):
            (try? HCI.command(opcode: opcode, parameters: parameters)).flatMap(handle(in:))
        case .event(let code, let parameters):
            (try? HCI.Event(code: code, parameters: parameters)).flatMap { event in
                Mirror(reflecting: event).children.first.flatMap { handle(in: $0.value) }
            }
        case .synchronous, .isochronous: nil
        }
    }

    /// By reflection: slow, but a trace is read by a person, and every command and event calls the
    /// field by the same name.
    private static func handle(in value: Any) -> ConnectionHandle? {
        Mirror(reflecting: value).children.lazy.compactMap { $0.value as? ConnectionHandle }.first
    }
}
