// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that encrypts one block with AES-128 (Vol 4, Part E, 7.8.22).
    package struct LEEncrypt: CommandCompleteCommand {
        package static let opcode = Opcode.leEncrypt

        package var key: Key128
        package var plaintext: Block128

        package init(key: Key128, plaintext: Block128) {
            self.key = key
            self.plaintext = plaintext
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            key = try reader.decode()
            plaintext = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(key, plaintext)
        }

        package struct ReturnParameters: HCIReturnParameters {
            package var ciphertext: Block128

            package init(ciphertext: Block128) {
                self.ciphertext = ciphertext
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                ciphertext = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(ciphertext)
            }
        }
    }

    /// A command that starts encryption or refreshes the key. Only the central may use it
    /// (Vol 4, Part E, 7.8.24).
    package struct LEEnableEncryption: CommandStatusCommand {
        package static let opcode = Opcode.leEnableEncryption

        package var connectionHandle: ConnectionHandle
        package var random: UInt64
        package var encryptedDiversifier: UInt16
        package var longTermKey: Key128

        package init(
            connectionHandle: ConnectionHandle,
            random: UInt64,
            encryptedDiversifier: UInt16,
            longTermKey: Key128
        ) {
            self.connectionHandle = connectionHandle
            self.random = random
            self.encryptedDiversifier = encryptedDiversifier
            self.longTermKey = longTermKey
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            random = try reader.decode()
            encryptedDiversifier = try reader.decode()
            longTermKey = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, random, encryptedDiversifier, longTermKey)
        }
    }

    /// A command that provides the long-term key that the controller requested (Vol 4, Part E,
    /// 7.8.25).
    package struct LELongTermKeyRequestReply: CommandCompleteCommand {
        package static let opcode = Opcode.leLongTermKeyRequestReply
        package typealias ReturnParameters = LinkReturnParameters

        package var connectionHandle: ConnectionHandle
        package var longTermKey: Key128

        package init(connectionHandle: ConnectionHandle, longTermKey: Key128) {
            self.connectionHandle = connectionHandle
            self.longTermKey = longTermKey
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            longTermKey = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, longTermKey)
        }
    }

    /// A command that reports that the host does not have the requested long-term key
    /// (Vol 4, Part E, 7.8.26).
    package struct LELongTermKeyRequestNegativeReply: CommandCompleteCommand,
        ConnectionHandleParameters
    {
        package static let opcode = Opcode.leLongTermKeyRequestNegativeReply
        package typealias ReturnParameters = LinkReturnParameters

        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }
    }

    /// A command that generates a new key pair. A later event contains the public key
    /// (Vol 4, Part E, 7.8.36).
    package struct LEReadLocalP256PublicKey: CommandStatusCommand, EmptyParameters {
        package static let opcode = Opcode.leReadLocalP256PublicKey
        package init() {}
    }

    /// A command that computes the shared secret with a peer's public key. A later event contains
    /// the secret (Vol 4, Part E, 7.8.37).
    package struct LEGenerateDHKey: CommandStatusCommand {
        package static let opcode = Opcode.leGenerateDHKey

        package var publicKey: P256PublicKey

        package init(publicKey: P256PublicKey) {
            self.publicKey = publicKey
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            publicKey = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(publicKey)
        }
    }
    /// A command that computes the shared secret with a peer's public key, from the controller's
    /// own key pair or from the published debug key pair. A later event contains the secret
    /// (Vol 4, Part E, 7.8.37).
    package struct LEGenerateDHKeyV2: CommandStatusCommand {
        package static let opcode = Opcode.leGenerateDHKeyV2

        package var publicKey: P256PublicKey
        package var pair: KeyPairChoice

        package init(publicKey: P256PublicKey, pair: KeyPairChoice) {
            self.publicKey = publicKey
            self.pair = pair
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            publicKey = try reader.decode()
            pair = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(publicKey, pair)
        }
    }
}
