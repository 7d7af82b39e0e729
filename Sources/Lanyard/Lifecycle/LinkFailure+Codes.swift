// SPDX-License-Identifier: Apache-2.0

// Failures from the codes of Core Bluetooth's errors.
extension LinkFailure {
    /// Creates a failure from the code of a `CBError`.
    package init(linkCode code: Int, _ text: String) {
        self.init(Self.kind(ofLinkCode: code), code: .link(code), text)
    }

    /// Creates a failure from the code of a `CBATTError`.
    package init(attributeCode code: Int, _ text: String) {
        let isMissingSecurity = Self.securityCodes.contains(code)
        self.init(isMissingSecurity ? .notPaired : .refused, code: .attribute(code), text)
    }

    private static func kind(ofLinkCode code: Int) -> Kind {
        switch code {
        // connectionTimeout
        case 6: .linkLoss
        // peripheralDisconnected
        case 7: .remoteClosed
        // operationCancelled
        case 5: .ownCancel
        // peerRemovedPairingInformation
        case 14: .unpaired
        // encryptionTimedOut
        case 15: .encryptionFailed
        // tooManyLEPairedDevices
        case 16: .tooManyBonds
        // connectionFailed, notConnected, unknownDevice
        case 10, 3, 12: .attemptFailed
        // connectionLimitReached, outOfSpace
        case 11, 4: .capacity
        // operationNotSupported, invalidParameters, uuidNotAllowed
        case 13, 1, 8: .unsupported
        default: .unknown
        }
    }

    /// The refusals for a link without authentication, authorization or encryption, or with a short
    /// key (Vol 3, Part F, 3.4.1.1).
    private static let securityCodes: Set = [0x05, 0x08, 0x0C, 0x0F]
}
