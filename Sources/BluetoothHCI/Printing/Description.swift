// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// Returns one line that describes a packet in a trace.
    ///
    /// A command or event without a type in this module is shown in hexadecimal. Keys in the
    /// parameters of other commands and events are omitted. Malformed parameters are omitted,
    /// because they may contain a key. Return parameters that cannot be decoded are shown in
    /// hexadecimal. The blocks of LE Encrypt, the result of LE Rand and the data of ACL packets can
    /// reveal keys, and are shown: the caller removes them first (`KeyRedaction` of
    /// `HCITransports`).
    package static func describe(_ packet: Packet) -> String {
        switch packet {
        case .command(let opcode, let parameters): describe(opcode, parameters)
        case .event(let code, let parameters): describe(code, parameters)
        case .acl(let packet): describe(packet)
        case .synchronous(let bytes): line("Synchronous data", bytes.hexadecimal)
        case .isochronous(let bytes): line("Isochronous data", bytes.hexadecimal)
        }
    }

    private static func describe(_ opcode: Opcode, _ parameters: ArraySlice<UInt8>) -> String {
        do {
            guard let command = try command(opcode: opcode, parameters: parameters) else {
                return line("Command \(opcode)", parameters.hexadecimal)
            }
            return line("\(opcode)", FieldPrinter.fields(of: command))
        } catch {
            return line("\(opcode)", malformed(error, byteCount: parameters.count))
        }
    }

    private static func describe(_ code: EventCode, _ parameters: ArraySlice<UInt8>) -> String {
        do {
            return describe(try Event(code: code, parameters: parameters))
        } catch {
            return line("Event \(code)", malformed(error, byteCount: parameters.count))
        }
    }

    /// Returns one line that describes an event in a trace.
    package static func describe(_ event: Event) -> String {
        switch event {
        case .unknown(let code, let subevent, let parameters):
            let name = subevent.map { "LE event \($0)" } ?? "Event \(code)"
            return line(name, parameters.hexadecimal)
        case .commandComplete(let event):
            let answer = "\(event.opcode), " + describeAnswer(event)
            return line("Command Complete", answer)
        default:
            let (code, subevent) = event.codes
            let payload = Mirror(reflecting: event).children.first?.value
            return line(
                subevent.map { "\($0)" } ?? "\(code)",
                payload.map(FieldPrinter.fields(of:)) ?? ""
            )
        }
    }

    private static func describe(_ packet: ACLPacket) -> String {
        let piece = packet.boundary == .continuing ? "continuing" : "first"
        let count = "\(packet.payload.count) bytes"
        return line(
            "ACL \(packet.connectionHandle) \(piece)",
            packet.payload.isEmpty ? count : "\(count) \(packet.payload.hexadecimal)"
        )
    }

    private static func describeAnswer(_ event: CommandComplete) -> String {
        guard let status = event.returnParameters.first else { return "no status" }
        let answer = "status=\(ErrorCode(rawValue: status))"
        let rest = event.returnParameters.dropFirst()
        guard status == ErrorCode.success.rawValue, !rest.isEmpty else { return answer }
        guard
            let type = commandTypesByOpcode[event.opcode] as? any CommandCompleteCommand.Type,
            let fields = fields(ofAnswerTo: type, rest)
        else { return "\(answer), \(rest.hexadecimal)" }
        return "\(answer), \(fields)"
    }

    private static func fields<Command: CommandCompleteCommand>(
        ofAnswerTo command: Command.Type,
        _ bytes: ArraySlice<UInt8>
    ) -> String? {
        (try? Command.ReturnParameters(parsing: bytes)).map(FieldPrinter.fields(of:))
    }

    /// Returns the text for parameters that could not be decoded. It omits the parameters, because
    /// they may contain a key.
    private static func malformed(_ error: MalformedBytes, byteCount: Int) -> String {
        "malformed, \(error) (\(byteCount) bytes of parameters)"
    }

    private static func line(_ name: String, _ rest: String) -> String {
        rest.isEmpty ? name : "\(name): \(rest)"
    }
}
