// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A message of the bus ("Message Protocol").
package struct DBusMessage: Hashable, Sendable {
    /// The type of a message, with the fields that it requires.
    package enum Kind: Hashable, Sendable {
        case call(path: DBusObjectPath, interface: String?, member: String)
        case reply(to: UInt32)
        case error(name: String, to: UInt32)
        case signal(path: DBusObjectPath, interface: String, member: String)
        /// A type that this version of the protocol does not define. A receiver ignores the
        /// message.
        case unknown(UInt8)
    }

    /// The codes of the message types ("Message Format").
    private enum Code {
        static let call: UInt8 = 1
        static let reply: UInt8 = 2
        static let error: UInt8 = 3
        static let signal: UInt8 = 4
    }

    /// The codes of the header fields ("Header Fields").
    private enum Field {
        static let path: UInt8 = 1
        static let interface: UInt8 = 2
        static let member: UInt8 = 3
        static let errorName: UInt8 = 4
        static let replySerial: UInt8 = 5
        static let destination: UInt8 = 6
        static let sender: UInt8 = 7
        static let signature: UInt8 = 8
        static let descriptorCount: UInt8 = 9
    }

    /// The flag of a call that needs no reply.
    private static let noReplyFlag: UInt8 = 1

    package var kind: Kind
    /// The number of the message on its sender's connection. Not zero once it is sent.
    package var serial: UInt32
    package var destination: String?
    /// The unique name of the sender, which the bus writes.
    package var sender: String?
    package var expectsReply: Bool
    package var body: [DBusValue]
    /// The number of file descriptors with the message.
    package var descriptorCount: Int

    package init(
        _ kind: Kind,
        serial: UInt32 = 0,
        destination: String? = nil,
        sender: String? = nil,
        expectsReply: Bool = true,
        body: [DBusValue] = [],
        descriptorCount: Int = 0
    ) {
        self.kind = kind
        self.serial = serial
        self.destination = destination
        self.sender = sender
        self.expectsReply = expectsReply
        self.body = body
        self.descriptorCount = descriptorCount
    }
}

// Reading.
extension DBusMessage {
    /// Reads a complete message.
    ///
    /// - Throws: `MalformedBytes` if the bytes are not one complete message.
    package static func read(_ bytes: [UInt8]) throws(MalformedBytes) -> DBusMessage {
        guard bytes.count >= DBusDeframer.prefixLength else {
            throw .truncated(needed: DBusDeframer.prefixLength, available: bytes.count)
        }
        let length = try DBusDeframer.length(of: bytes[...])
        guard length == bytes.count else {
            throw length > bytes.count
                ? .truncated(needed: length, available: bytes.count)
                : .trailing(count: bytes.count - length)
        }
        return try read(checked: bytes)
    }

    private static func read(checked bytes: [UInt8]) throws(MalformedBytes) -> DBusMessage {
        let isBigEndian = bytes[0] == UInt8(ascii: "B")
        let headerLength = try DBusDeframer.headerLength(of: bytes[...])
        var reader = DBusReader(bytes[..<headerLength], isBigEndian: isBigEndian)
        // The byte order, the type, the flags, the version and the length of the body.
        for _ in 0..<4 { _ = try reader.read(.byte) }
        _ = try reader.readUInt32()
        let serial = try reader.readUInt32()
        guard serial != 0 else { throw .invalid(field: "serial") }
        let fields = try Fields(try reader.read(.array(.structure([.byte, .variant]))))
        try reader.align(to: 8)
        guard bytes[1] != 0 else { throw .invalid(field: "type") }
        let kind = try kind(bytes[1], fields)
        var body = DBusReader(bytes[headerLength...], isBigEndian: isBigEndian)
        return DBusMessage(
            kind,
            serial: serial,
            destination: fields.destination,
            sender: fields.sender,
            expectsReply: bytes[2] & noReplyFlag == 0,
            body: try body.readAll(fields.signature),
            descriptorCount: fields.descriptorCount
        )
    }

    private static func kind(_ code: UInt8, _ fields: Fields) throws(MalformedBytes) -> Kind {
        switch code {
        case Code.call:
            guard let path = fields.path, let member = fields.member else { break }
            return .call(path: path, interface: fields.interface, member: member)
        case Code.reply:
            guard let serial = fields.replySerial else { break }
            return .reply(to: serial)
        case Code.error:
            guard let serial = fields.replySerial, let name = fields.errorName else { break }
            return .error(name: name, to: serial)
        case Code.signal:
            guard let path = fields.path, let interface = fields.interface,
                let member = fields.member
            else { break }
            return .signal(path: path, interface: interface, member: member)
        default: return .unknown(code)
        }
        throw .invalid(field: "header fields")
    }

    /// The header fields that were read. Unknown fields are ignored.
    private struct Fields {
        var path: DBusObjectPath?
        var interface: String?
        var member: String?
        var errorName: String?
        var replySerial: UInt32?
        var destination: String?
        var sender: String?
        var signature = DBusSignature.empty
        var descriptorCount = 0

        init(_ value: DBusValue) throws(MalformedBytes) {
            for field in value.elements ?? [] {
                guard case .structure(let members) = field, case .byte(let code)? = members.first,
                    case .variant(let value)? = members.last
                else { continue }
                guard try take(code, value) else { throw .invalid(field: "header field \(code)") }
            }
        }

        /// Stores a field. Returns `false` if the value does not have the type and the form that
        /// the code requires, or the code is zero. Unknown codes are ignored.
        private mutating func take(_ code: UInt8, _ value: DBusValue) throws(MalformedBytes) -> Bool
        {
            switch (code, value) {
            case (Field.path, .objectPath(let path)): self.path = path
            case (Field.interface, .string(let name)) where DBusNames.isInterface(name):
                interface = name
            case (Field.member, .string(let name)) where DBusNames.isMember(name): member = name
            case (Field.errorName, .string(let name)) where DBusNames.isInterface(name):
                errorName = name
            case (Field.replySerial, .uint32(let serial)) where serial != 0: replySerial = serial
            case (Field.destination, .string(let name)) where DBusNames.isBus(name):
                destination = name
            case (Field.sender, .string(let name)) where DBusNames.isBus(name): sender = name
            case (Field.signature, .signature(let signature)): self.signature = signature
            case (Field.descriptorCount, .uint32(let count))
            where count <= DBusLimits.descriptorsPerMessage:
                descriptorCount = Int(count)
            default: return !(Field.path...Field.descriptorCount).contains(code) && code != 0
            }
            return true
        }
    }
}

// Writing.
extension DBusMessage {
    /// The bytes of the message.
    package var bytes: [UInt8] {
        var content = DBusWriter()
        for value in body { content.write(value) }
        var header = DBusWriter()
        for byte in [UInt8(ascii: "l"), code, expectsReply ? 0 : Self.noReplyFlag, 1] {
            header.write(.byte(byte))
        }
        header.writeInteger(UInt32(truncatingIfNeeded: content.bytes.count))
        header.writeInteger(serial)
        header.write(.array(.structure([.byte, .variant]), fields))
        header.align(to: 8)
        return header.bytes + content.bytes
    }

    private var code: UInt8 {
        switch kind {
        case .call: Code.call
        case .reply: Code.reply
        case .error: Code.error
        case .signal: Code.signal
        case .unknown(let code): code
        }
    }

    private var fields: [DBusValue] {
        var fields: [(UInt8, DBusValue?)] =
            switch kind {
            case .call(let path, let interface, let member):
                [
                    (Field.path, .objectPath(path)),
                    (Field.interface, interface.map(DBusValue.string)),
                    (Field.member, .string(member)),
                ]
            case .reply(let serial): [(Field.replySerial, .uint32(serial))]
            case .error(let name, let serial):
                [(Field.errorName, .string(name)), (Field.replySerial, .uint32(serial))]
            case .signal(let path, let interface, let member):
                [
                    (Field.path, .objectPath(path)), (Field.interface, .string(interface)),
                    (Field.member, .string(member)),
                ]
            case .unknown: []
            }
        fields.append((Field.destination, destination.map(DBusValue.string)))
        fields.append((Field.sender, sender.map(DBusValue.string)))
        if !body.isEmpty {
            fields.append((Field.signature, .signature(DBusSignature(body.map(\.type)))))
        }
        if descriptorCount > 0 {
            fields.append((Field.descriptorCount, .uint32(UInt32(descriptorCount))))
        }
        return fields.compactMap { code, value in
            value.map { DBusValue.structure([.byte(code), .variant($0)]) }
        }
    }
}
