// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import Lanyard
import Synchronization
import VirtualRadio

/// Counts how often each event happened in each state. The events of an accessory are its callbacks
/// in the app. The events of a host are the HCI packets from its controller.
final class SwarmCoverage: Sendable {
    /// An event, and the state in which it happened.
    struct Pair: Hashable, Codable, Sendable {
        /// `accessory` or `host`.
        var machine: String
        var state: String
        var event: String
    }

    private let counts = Mutex<[Pair: Int]>([:])

    /// The pairs so far.
    var pairs: [Pair: Int] { counts.withLock { $0 } }

    // MARK: Accessories

    /// Adds the callbacks in a recording, each in the state that the accessory had.
    func add(_ recording: FlightRecording) {
        var states: [String: String] = [:]
        for event in recording.events {
            switch event.lane {
            case .state: states[event.device] = event.text
            case .callback:
                // The name of a callback ends at the first space. A characteristic may follow it.
                let name = event.text.prefix { $0 != " " }
                let devices = event.device.isEmpty ? Array(states.keys) : [event.device]
                for device in devices {
                    count("accessory", states[device] ?? "none", String(name))
                }
            default: break
            }
        }
    }

    private func count(_ machine: String, _ state: String, _ event: String) {
        counts.withLock { $0[Pair(machine: machine, state: state, event: event), default: 0] += 1 }
    }

    // MARK: Hosts

    /// Counts the packets to every host from now on.
    func observe(_ world: World) {
        var hosts: [ControllerID: ObservedHost] = [:]
        world.observe { [self] packet in
            var state = hosts[packet.controller] ?? ObservedHost()
            for event in state.receive(packet) { count("host", event.state, event.event) }
            hosts[packet.controller] = state
        }
    }
}

/// The state of a host, according to the packets between the host and its controller.
private struct ObservedHost {
    private var fromHost = H4Deframer()
    private var links: Set<UInt16> = []
    private var encrypted: Set<UInt16> = []
    private var isScanning = false
    private var isAdvertising = false
    private var isConnecting = false

    /// Returns the packets that reached the host, with the state before each.
    mutating func receive(_ packet: PassedPacket) -> [(state: String, event: String)] {
        switch packet.direction {
        case .toController:
            fromHost.append(packet.bytes[...])
            while let packet = try? fromHost.next() { sent(packet) }
            return []
        case .toHost:
            var deframer = H4Deframer()
            deframer.append(packet.bytes[...])
            var events: [(state: String, event: String)] = []
            while let packet = try? deframer.next() {
                events.append((description, received(packet)))
            }
            return events
        }
    }

    private var description: String {
        let roles = [(isScanning, "scan"), (isAdvertising, "advertise"), (isConnecting, "connect")]
        let active = roles.filter(\.0).map(\.1).joined(separator: "+")
        let count = ["no link", "1 link"][min(links.count, 1)] + (links.count > 1 ? "s" : "")
        let security = encrypted.isEmpty ? "unencrypted" : "encrypted"
        return "\(active.isEmpty ? "idle" : active), \(count), \(security)"
    }

    /// Updates the state after a command (Vol 4, Part E, 7.8).
    private mutating func sent(_ packet: HCI.Packet) {
        guard case .command(let opcode, let parameters) = packet else { return }
        let first = parameters.first ?? 0
        switch opcode.rawValue {
        case 0x0C03: self = ObservedHost()
        case 0x200A, 0x2039: isAdvertising = first != 0
        case 0x200C, 0x2042: isScanning = first != 0
        case 0x200D, 0x2043, 0x2085: isConnecting = true
        default: break
        }
    }

    /// Updates the state after a packet to the host. Returns the packet's name or code.
    private mutating func received(_ packet: HCI.Packet) -> String {
        switch packet {
        case .event(let code, let parameters): return received(code.rawValue, Array(parameters))
        case .acl(let packet): return Self.name(of: Array(packet.payload), packet.boundary)
        default: return "other"
        }
    }

    private mutating func received(_ code: UInt8, _ bytes: [UInt8]) -> String {
        func handle(at offset: Int) -> UInt16 {
            bytes.count > offset + 1 ? UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8 : 0
        }
        switch (code, bytes.first ?? 0) {
        case (0x05, _):
            links.remove(handle(at: 1))
            encrypted.remove(handle(at: 1))
            return "Disconnection Complete"
        case (0x08, 0), (0x59, 0):
            encrypted.insert(handle(at: 1))
            return "Encryption Change"
        case (0x0E, _): return "Command Complete"
        case (0x0F, _): return "Command Status"
        case (0x13, _): return "Number Of Completed Packets"
        case (0x3E, 0x01), (0x3E, 0x0A), (0x3E, 0x29):
            isConnecting = false
            guard bytes.count > 1, bytes[1] == 0 else { return "Connection Complete, failed" }
            links.insert(handle(at: 2))
            return "Connection Complete"
        case (0x3E, let subevent): return "LE event 0x" + Self.hex(subevent)
        default: return "event 0x" + Self.hex(code)
        }
    }

    /// Returns the name of an L2CAP packet by its channel and the first byte of its PDU.
    private static func name(of payload: [UInt8], _ boundary: HCI.PacketBoundary) -> String {
        guard boundary != .continuing, payload.count >= 5 else { return "continuation" }
        let channel = UInt16(payload[2]) | UInt16(payload[3]) << 8
        let names: [UInt16: String] = [4: "ATT", 5: "signaling", 6: "SMP"]
        return names[channel].map { "\($0) 0x\(hex(payload[4]))" } ?? "channel data"
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
