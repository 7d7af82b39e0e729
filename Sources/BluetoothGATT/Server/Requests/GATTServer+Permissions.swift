// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// What a client wants of an attribute.
    enum Access: Sendable {
        case read
        case write
        /// A write whose signature is good.
        case signedWrite
    }

    /// Why a client may not read or write an attribute; nil if it may. Every path to a value leads
    /// through here (Vol 3, Part F, 3.2.5; Vol 3, Part C, 10.3).
    func refusal(
        of access: Access,
        to attribute: Attribute,
        by client: ClientID
    ) -> ATT.ErrorCode? {
        guard let record = clients[client] else { return .unlikelyError }
        let permissions = attribute.permissions
        guard let rule = access == .read ? permissions.read : permissions.write else {
            return access == .read ? .readNotPermitted : .writeNotPermitted
        }
        if record.isUnproved, !attribute.isStructure, !proves(access, attribute.handle) {
            return .insufficientEncryption
        }
        if access == .write, !record.security.isEncrypted, wantsSignature(attribute.handle) {
            return .insufficientAuthentication
        }
        return rule.refusal(of: record.security, isAuthorized: record.isAuthorized)
    }

    /// Whether the access itself proves that the bonded client is who it seems: by a signature, to a
    /// value that is written with one.
    private func proves(_ access: Access, _ handle: AttributeHandle) -> Bool {
        let properties = database.characteristics[handle]?.properties ?? []
        return access == .signedWrite && properties.contains(.authenticatedSignedWrites)
    }

    /// Whether the value can be written with a signature and in no other way. An encrypted link does
    /// what a signature does, and then none is sent (Vol 3, Part C, 10.4; Vol 3, Part G, 4.9.2).
    private func wantsSignature(_ handle: AttributeHandle) -> Bool {
        guard let properties = database.characteristics[handle]?.properties else { return false }
        return properties.contains(.authenticatedSignedWrites)
            && properties.isDisjoint(with: [.write, .writeWithoutResponse])
    }
}

extension SecurityRequirement {
    /// Why a client on a link that is so protected is refused; nil if it is not
    /// (Vol 3, Part F, 3.4.1.1).
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
