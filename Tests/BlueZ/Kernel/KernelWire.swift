// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports

/// The packets between the kernel and its controller, as the virtual radio logged them.
struct KernelWire {
    /// A command that the controller refused.
    struct Refusal: Equatable, CustomStringConvertible {
        let opcode: HCI.Opcode
        let status: HCI.ErrorCode

        var description: String { "\(opcode): \(status)" }
    }

    /// The kernel's commands, in order.
    private(set) var commands: [HCI.Opcode] = []
    /// The intervals at which the kernel advertised with extended commands, in order.
    private(set) var advertisingIntervals: [ClosedRange<Duration>] = []
    /// The commands that the controller refused.
    private(set) var refusals: [Refusal] = []
    /// The events that the kernel received, except answers to commands.
    private(set) var events: [HCI.Event] = []
    /// The malformed packets of either side, in hexadecimal digits.
    private(set) var unreadable: [String] = []

    /// The peers of the kernel's links, in the order of the connections.
    var peers: [HCI.PeerAddress] {
        events.compactMap { event in
            switch event {
            case .connectionComplete(let new) where new.status == .success: new.peerAddress
            case .enhancedConnectionComplete(let new) where new.status == .success: new.peerAddress
            default: nil
            }
        }
    }

    /// Creates a record without packets.
    init() {}

    /// Reads a log, to which the virtual radio may still write.
    init(_ path: String) throws {
        do {
            try TraceFile.read(path) { note(h4: $0.packet) }
        } catch BtsnoopError.torn {
            // The end of the log is not written yet.
        }
    }

    /// Records a packet in the H4 format.
    mutating func note(h4 bytes: ArraySlice<UInt8>) {
        do {
            try note(HCI.Packet(h4: bytes))
        } catch {
            unreadable.append(bytes.hexadecimal)
        }
    }

    private mutating func note(_ packet: HCI.Packet) throws {
        switch packet {
        case .command(let opcode, let parameters):
            commands.append(opcode)
            guard opcode == .leSetExtendedAdvertisingParameters else { break }
            let set = try HCI.LESetExtendedAdvertisingParameters(parsing: parameters)
            let (one, other) = (set.intervalMinimum.duration, set.intervalMaximum.duration)
            advertisingIntervals.append(min(one, other)...max(one, other))
        case .event(let code, let parameters):
            note(try HCI.Event(code: code, parameters: parameters))
        case .acl, .synchronous, .isochronous: break
        }
    }

    private mutating func note(_ event: HCI.Event) {
        switch event {
        case .commandComplete(let answer):
            let status = answer.returnParameters.first.map(HCI.ErrorCode.init(rawValue:))
            note(status ?? .success, of: answer.opcode)
        case .commandStatus(let answer): note(answer.status, of: answer.opcode)
        default: events.append(event)
        }
    }

    private mutating func note(_ status: HCI.ErrorCode, of opcode: HCI.Opcode) {
        guard status != .success else { return }
        refusals.append(Refusal(opcode: opcode, status: status))
    }
}
