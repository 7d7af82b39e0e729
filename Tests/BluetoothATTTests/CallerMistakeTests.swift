// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

/// What only a caller can do wrong traps; nothing that arrives from a peer does.
@Suite("A caller's mistakes")
struct CallerMistakeTests {
    @Test("A command is no request")
    func requestingCommand() async {
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer()
            try bearer.request(.writeCommand(.init(handle: .first, value: [])), id: 1)
        }
    }

    @Test("A request is no command")
    func commandingRequest() async {
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer()
            try bearer.command(.readRequest(.init(handle: .first)), id: 1)
        }
    }

    @Test("A notification is no indication, nor the other way round")
    func mixingKinds() async {
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer()
            try bearer.notify(.handleValueIndication(.init(handle: .first, value: [])), id: 1)
        }
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer()
            try bearer.indicate(.handleValueNotification(.init(handle: .first, value: [])), id: 1)
        }
    }

    @Test("An MTU exchange offers what the bearer can receive")
    func offeringAnotherMTU() async {
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer(receiveMTULimit: 247)
            try bearer.request(.exchangeMTURequest(.init(receiveMTU: 248)), id: 1)
        }
    }

    @Test("No bearer receives less than 23 octets")
    func limitingTooMuch() async {
        await #expect(processExitsWith: .failure) { _ = ATTBearer(receiveMTULimit: 22) }
        await #expect(processExitsWith: .failure) { _ = ATTBearer(enhancedMTU: 63) }
    }

    @Test("One handle is not several, and no entries are no response")
    func makingEmptyPDUs() async {
        await #expect(processExitsWith: .failure) {
            _ = ATT.ReadMultipleRequest(handles: [.first])
        }
        await #expect(processExitsWith: .failure) { _ = ATT.ReadByTypeResponse(entries: []) }
    }

    @Test("Values of one response have one length")
    func mixingLengths() async {
        await #expect(processExitsWith: .failure) {
            _ = ATT.ReadByTypeResponse(entries: [
                .init(handle: .first, value: [1]), .init(handle: .last, value: []),
            ])
        }
    }

    @Test("A signature has twelve octets")
    func cuttingSignatures() async {
        await #expect(processExitsWith: .failure) {
            _ = ATT.SignedWriteCommand(handle: .first, value: [], signature: [1])
        }
    }
}
