// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports

/// What passed between the kernel and its controller, as the air logged it.
struct KernelWire {
    /// A command that the controller refused.
    struct Refusal: Equatable, CustomStringConvertible {
        let opcode: HCI.Opcode
        let status: HCI.ErrorCode

        var description: String { "\(opcode): \(status)" }
    }

    /// The commands of the kernel, in its order.
    private(set) var commands: [HCI.Opcode] = []
    /// Those of them that were refused.
    private(set) var refusals: [Refusal] = []
    /// The events that it got, but for answers.
    private(set) var events: [HCI.Event] = []
    /// The packets of either that are none, in hexadecimal digits.
    private(set) var unreadable: [String] = []

    /// To whom it got links, in their order.
    var peers: [HCI.PeerAddress] {
        events.compactMap { event in
            switch event {
            case .connectionComplete(let new) where new.status == .success: new.peerAddress
            case .enhancedConnectionComplete(let new) where new.status == .success: new.peerAddress
            default: nil
            }
        }
    }

    /// One on which nothing has passed.
    init() {}

    /// Reads a log, also one that is still being written.
    init(_ path: String) throws {
        do {
            try TraceFile.read(path) { note(h4: $0.packet) }
        } catch BtsnoopError.torn {
            // Its end has yet to be written.
        }
    }

    /// Something passes, as H4 has it.
    mutating func note(h4 octets: ArraySlice<UInt8>) {
        do {
            try note(HCI.Packet(h4: octets))
        } catch {
            unreadable.append(octets.hexadecimal)
        }
    }

    private mutating func note(_ packet: HCI.Packet) throws {
        switch packet {
        case .command(let opcode, _): commands.append(opcode)
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
