// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("The errors of disconnection reasons")
struct DisconnectReasonTests {
    @Test("5.2.2 A supervision timeout is connectionTimeout")
    func supervisionTimeout() {
        #expect(code(.disconnected(.connectionTimeout)) == .connectionTimeout)
        #expect(code(.disconnected(.linkLayerResponseTimeout)) == .connectionTimeout)
        #expect(code(.timedOut) == .connectionTimeout)
    }

    @Test(
        "5.2.3 A peer that ends the link is peripheralDisconnected",
        arguments: [
            HCI.ErrorCode.remoteUserTerminatedConnection, .remoteDeviceLowResources,
            .remoteDevicePowerOff,
        ]
    )
    func remote(_ reason: HCI.ErrorCode) {
        #expect(code(.disconnected(reason)) == .peripheralDisconnected)
    }

    @Test("5.2.4 A link that was not established is connectionFailed")
    func notEstablished() {
        #expect(code(.failedToConnect(.connectionFailedToBeEstablished)) == .connectionFailed)
        #expect(code(.alreadyConnecting) == .connectionFailed)
    }

    @Test("5.2.5 A peer that lost its keys is peerRemovedPairingInformation")
    func lostKeys() {
        #expect(code(.bondLost) == .peerRemovedPairingInformation)
        #expect(code(.encryptionFailed(.pinOrKeyMissing)) == .peerRemovedPairingInformation)
        #expect(code(.disconnected(.pinOrKeyMissing)) == .peerRemovedPairingInformation)
    }

    @Test("5.2.6 A link that could not be encrypted is encryptionTimedOut")
    func encryption() {
        #expect(code(.notEncrypted) == .encryptionTimedOut)
        #expect(code(.encryptionFailed(.unspecifiedError)) == .encryptionTimedOut)
        #expect(code(.disconnected(.messageIntegrityFailure)) == .encryptionTimedOut)
    }

    @Test("5.2.7 A controller at its limit of links is connectionLimitReached")
    func limit() {
        #expect(code(.failedToConnect(.connectionLimitExceeded)) == .connectionLimitReached)
        #expect(code(.controller(.memoryCapacityExceeded)) == .connectionLimitReached)
        #expect(code(.tooManyRequests) == .connectionLimitReached)
    }

    @Test("5.2.8 A full key store is tooManyLEPairedDevices")
    func keyStore() {
        #expect(code(.tooManyBonds) == .tooManyLEPairedDevices)
    }

    @Test("5.2.9 Any other reason is unknown")
    func anythingElse() {
        #expect(code(.disconnected(.instantPassed)) == .unknown)
        #expect(code(.malformedAnswer) == .unknown)
        #expect(code(.busy) == .unknown)
    }

    @Test("5.6 The error of a supervision timeout has Apple's text")
    func text() {
        let error = ClientError(PortError.linkEnded(.timeout)).cbError
        #expect(error.localizedDescription == "The connection has timed out unexpectedly.")
    }

    private func code(_ error: HostError) -> CBError.Code {
        ClientError(PortError(error)).cbError.code
    }
}
