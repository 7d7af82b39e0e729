// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing

@testable import Lanyard

/// The kinds and classes of errors.
struct FailureTests {
    @Test(
        "An error of a link has a kind and a class",
        arguments: [
            (CBError.Code.connectionTimeout, LinkFailure.Kind.linkLoss, FailureClass.transient),
            (.peripheralDisconnected, .remoteClosed, .transient),
            (.operationCancelled, .ownCancel, .transient),
            (.peerRemovedPairingInformation, .unpaired, .terminal),
            (.encryptionTimedOut, .encryptionFailed, .transient),
            (.tooManyLEPairedDevices, .tooManyBonds, .terminal),
            (.connectionFailed, .attemptFailed, .transient),
            (.notConnected, .attemptFailed, .transient),
            (.unknownDevice, .attemptFailed, .transient),
            (.connectionLimitReached, .capacity, .capacity),
            (.operationNotSupported, .unsupported, .terminal),
            (.unknown, .unknown, .transient),
        ]
    )
    func linkErrors(
        code: CBError.Code,
        kind: LinkFailure.Kind,
        failureClass: FailureClass
    ) {
        let failure = LinkFailure(CBError(code) as any Error)
        #expect(failure.kind == kind)
        #expect(failure.code == .link(code.rawValue))
        #expect(failure.failureClass == failureClass)
    }

    @Test(
        "A failure distinguishes a lack of pairing from other refusals",
        arguments: [
            (CBATTError.Code.insufficientAuthentication, LinkFailure.Kind.notPaired),
            (.insufficientEncryption, .notPaired),
            (.insufficientEncryptionKeySize, .notPaired),
            (.insufficientAuthorization, .notPaired),
            (.writeNotPermitted, .refused),
        ]
    )
    func refusals(
        code: CBATTError.Code,
        kind: LinkFailure.Kind
    ) {
        let failure = LinkFailure(CBATTError(code) as any Error)
        #expect(failure.kind == kind)
        #expect(failure.code == .attribute(code.rawValue))
    }

    @Test("An error from another domain is unknown")
    func foreignError() {
        let failure = LinkFailure(CocoaError(.fileNoSuchFile))
        #expect(failure.kind == .unknown)
        #expect(failure.code == nil)
    }

    @Test("The description of a failure contains the error code if there is one")
    func descriptions() {
        #expect(LinkFailure.lost.description == "not received any more (CBError 6)")
        #expect(LinkFailure.unauthenticated.description == "not for you (CBATTError 5)")
        #expect(LinkFailure(.timeout, "too long").description == "too long")
    }
}
