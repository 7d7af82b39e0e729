// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    enum Access: Sendable {
        case read
        case write
        /// A write with a valid signature.
        case signedWrite
    }

    /// Returns the reason to refuse a client's read or write of an attribute, or `nil` (Vol 3, Part
    /// F, 3.2.5; Vol 3, Part C, 10.3).
    func refusal(
        of access: Access,
        to attribute: Attribute,
        by client: ClientID
    ) -> ATT.ErrorCode? {
        guard let index = clients.index(of: client) else { return .unlikelyError }
        let security = clients.records[index].security
        let permissions = attribute.permissions
        guard let rule = access == .read ? permissions.read : permissions.write else {
            return access == .read ? .readNotPermitted : .writeNotPermitted
        }
        if security.awaitsEncryption, !isOpen(attribute, to: access) {
            return .insufficientEncryption
        }
        if access == .write, !security.isEncrypted, wantsSignature(attribute.handle) {
            return .insufficientAuthentication
        }
        return rule.refusal(of: security, isAuthorized: clients.records[index].isAuthorized)
    }

    /// Returns whether a bonded client may access an attribute before its link is encrypted, as far
    /// as the attribute's permissions allow.
    ///
    /// The client may read the structure of the database and the values that describe this server
    /// equally to all clients. With a signature, which proves the client's identity, it may write
    /// the values that support signed writes. Values of the client itself require encryption. These
    /// are subscriptions and Client Supported Features, which are stored for a bonded client, so it
    /// need not write them again.
    private func isOpen(_ attribute: Attribute, to access: Access) -> Bool {
        let characteristic = database.characteristics[attribute.handle]
        return switch access {
        case .read: attribute.isStructure || characteristic?.describesServer == true
        case .write: false
        case .signedWrite:
            characteristic?.properties.contains(.authenticatedSignedWrites) == true
        }
    }

    /// Returns whether the value can be written with a signature only. Encryption replaces a
    /// signature, so no command is signed on an encrypted link (Vol 3, Part C, 10.4; Vol 3, Part G,
    /// 4.9.2).
    private func wantsSignature(_ handle: AttributeHandle) -> Bool {
        guard let properties = database.characteristics[handle]?.properties else { return false }
        return properties.contains(.authenticatedSignedWrites)
            && properties.isDisjoint(with: [.write, .writeWithoutResponse])
    }
}

extension SecurityRequirement {
    /// Returns the error for a client whose link has this security, or `nil` if the link meets the
    /// requirement (Vol 3, Part F, 3.4.1.1).
    package func refusal(of security: LinkSecurity, isAuthorized: Bool) -> ATT.ErrorCode? {
        switch shortfall(of: security, isAuthorized: isAuthorized) {
        case .authentication: .insufficientAuthentication
        case .encryption: .insufficientEncryption
        case .keySize: .encryptionKeySizeTooShort
        case .authorization: .insufficientAuthorization
        case nil: nil
        }
    }
}
