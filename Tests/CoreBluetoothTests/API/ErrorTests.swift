// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Errors")
struct ErrorTests {
    private func attempt(_ error: any Error) throws {
        throw error
    }

    @Test("15.1.1 A catch clause matches only the code of its own error type")
    func catching() {
        do {
            try attempt(CBATTError(.invalidHandle))
        } catch CBATTError.readNotPermitted {
            Issue.record("another code was matched")
        } catch CBError.invalidHandle {
            Issue.record("another domain was matched")
        } catch CBATTError.invalidHandle {
        } catch {
            Issue.record("no code was matched")
        }
    }

    @Test("15.1.1 A catch clause binds the error, whose code can be compared")
    func binding() {
        do {
            try attempt(CBError(.connectionTimeout))
        } catch let error as CBError where error.code == .connectionTimeout {
        } catch {
            Issue.record("the error was not matched")
        }
    }

    @Test(
        "15.1.1, 10.9 A number without a name is a valid code",
        arguments: [0x80, 0x9F, 0xE0, 0xFF]
    )
    func applicationErrors(number: Int) throws {
        let code = try #require(CBATTError.Code(rawValue: number))
        #expect(code.rawValue == number)
        #expect(CBATTError(code).code == code)
        #expect(CBATTError(code).errorCode == number)
        #expect((CBATTError(code) as NSError).code == number)
    }

    @Test("15.1.3, 7.16 As an NSError, an error has its domain and code")
    func bridging() {
        let error = CBATTError(.insufficientEncryption, userInfo: ["key": "value"]) as NSError
        #expect(error.domain == CBATTErrorDomain)
        #expect(error.code == 15)
        #expect(error.userInfo["key"] as? String == "value")
        #expect((CBError(.peripheralDisconnected) as NSError).domain == "CBErrorDomain")
    }

    @Test("15.1.3 An error that was stored as `any Error` can be cast back to its type")
    func erasure() {
        let error: any Error = CBError(delivering: .peerRemovedPairingInformation)
        #expect((error as? CBError)?.code == .peerRemovedPairingInformation)
        #expect(error as? CBATTError == nil)
    }

    @Test("Errors are equal if their domain, code and content are equal")
    func equality() {
        #expect(CBError(.unknown) == CBError(.unknown))
        #expect(CBError(.unknown) != CBError(.notConnected))
        #expect(CBError(.unknown).hashValue == CBError(.unknown).hashValue)
    }

    @Test("An error made from an NSError of its domain keeps the NSError's content")
    func wrapping() {
        let original = NSError(domain: CBErrorDomain, code: 6, userInfo: ["key": "value"])
        let error = CBError(_nsError: original)
        #expect(error.code == .connectionTimeout)
        #expect(error.userInfo["key"] as? String == "value")
        #expect(error.errorUserInfo["key"] as? String == "value")
        #expect(CBError.errorDomain == CBErrorDomain)
    }

    @Test("An NSError of another domain ends the program")
    func foreign() async {
        await #expect(processExitsWith: .failure) {
            _ = CBError(_nsError: NSError(domain: "Other", code: 6))
        }
    }

    @Test("15.1.2 The misspelled and the correct name of a code are equal")
    @available(*, deprecated)
    func misspelled() {
        #expect(CBError.Code.unkownDevice == .unknownDevice)
        #expect(CBError.Code.unkownDevice.rawValue == 12)
        #expect(CBError.unkownDevice == CBError.unknownDevice)
    }
}

@Suite("The texts of errors")
struct ErrorTextTests {
    @Test(
        "5.2 An error for a delegate has Apple's text",
        arguments: [
            (CBError.Code.unknown, "Unknown error."),
            (.invalidParameters, "One or more parameters were invalid."),
            (.connectionTimeout, "The connection has timed out unexpectedly."),
            (.peripheralDisconnected, "The specified device has disconnected from us."),
            (.uuidNotAllowed, "The specified UUID is not allowed for this operation."),
            (.alreadyAdvertising, "Advertising has already started."),
            (.peerRemovedPairingInformation, "Peer removed pairing information"),
        ]
    )
    func framework(code: CBError.Code, text: String) {
        let error = CBError(delivering: code)
        #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == text)
        #expect(error.localizedDescription == text)
        #expect((error as any Error).localizedDescription == text)
        #expect((error as NSError).localizedDescription == text)
    }

    @Test(
        "7.16 An error of a server has Apple's text",
        arguments: [
            (CBATTError.Code.readNotPermitted, "Reading is not permitted."),
            (.writeNotPermitted, "Writing is not permitted."),
            (.insufficientAuthentication, "Authentication is insufficient."),
            (.insufficientEncryption, "Encryption is insufficient."),
        ]
    )
    func server(code: CBATTError.Code, text: String) {
        #expect(CBATTError(delivering: code).localizedDescription == text)
    }

    @Test(
        "7.16 An unknown code of a server keeps its number and has the text of unknown errors",
        arguments: [0x12, 0x80]
    )
    func unknown(number: Int) throws {
        let error = CBATTError(delivering: try #require(CBATTError.Code(rawValue: number)))
        #expect(error.localizedDescription == "Unknown ATT error.")
        #expect((error as NSError).code == number)
    }

    @Test("Every code with a name has its own text")
    func texts() throws {
        let framework = try (0...20).map {
            CBError(delivering: try #require(CBError.Code(rawValue: $0))).localizedDescription
        }
        #expect(Set(framework).count == 21)
        let server = try (0...17).map {
            CBATTError(delivering: try #require(CBATTError.Code(rawValue: $0)))
                .localizedDescription
        }
        #expect(Set(server).count == 18)
        #expect(!server.contains("Unknown ATT error."))
    }
}
