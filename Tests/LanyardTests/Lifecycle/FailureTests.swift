// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing

@testable import Lanyard

/// The meaning of errors.
struct FailureTests {
    @Test(arguments: [
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
    ])
    func `errors of links have a kind and a class`(
        code: CBError.Code,
        kind: LinkFailure.Kind,
        failureClass: FailureClass
    ) {
        let failure = LinkFailure(CBError(code) as any Error)
        #expect(failure.kind == kind)
        #expect(failure.code == .link(code.rawValue))
        #expect(failure.failureClass == failureClass)
    }

    @Test(arguments: [
        (CBATTError.Code.insufficientAuthentication, LinkFailure.Kind.notPaired),
        (.insufficientEncryption, .notPaired),
        (.insufficientEncryptionKeySize, .notPaired),
        (.insufficientAuthorization, .notPaired),
        (.writeNotPermitted, .refused),
    ])
    func `refusals for want of pairing are told from others`(
        code: CBATTError.Code,
        kind: LinkFailure.Kind
    ) {
        let failure = LinkFailure(CBATTError(code) as any Error)
        #expect(failure.kind == kind)
        #expect(failure.code == .attribute(code.rawValue))
    }

    @Test func `an error of somebody else's is unknown`() {
        let failure = LinkFailure(CocoaError(.fileNoSuchFile))
        #expect(failure.kind == .unknown)
        #expect(failure.code == nil)
    }

    @Test func `what is told names the number of the error`() {
        #expect(LinkFailure.lost.description == "not heard any more (CBError 6)")
        #expect(LinkFailure.unauthenticated.description == "not for you (CBATTError 5)")
        #expect(LinkFailure(.timeout, "too long").description == "too long")
    }
}
