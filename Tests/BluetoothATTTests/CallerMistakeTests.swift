// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothATT

@Suite("Caller mistakes")
struct CallerMistakeTests {
    @Test("Sending a command as a request traps")
    func requestingCommand() async {
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer()
            try bearer.request(.writeCommand(.init(handle: .first, value: [])), id: 1)
        }
    }

    @Test("Sending a request as a command traps")
    func commandingRequest() async {
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer()
            try bearer.command(.readRequest(.init(handle: .first)), id: 1)
        }
    }

    @Test("Sending an indication as a notification, or the reverse, traps")
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

    @Test("Exchanging an MTU other than the bearer's receive MTU traps")
    func offeringAnotherMTU() async {
        await #expect(processExitsWith: .failure) {
            var bearer = ATTBearer(receiveMTULimit: 247)
            try bearer.request(.exchangeMTURequest(.init(receiveMTU: 248)), id: 1)
        }
    }

    @Test("A bearer with an MTU below the minimum traps")
    func limitingTooMuch() async {
        await #expect(processExitsWith: .failure) { _ = ATTBearer(receiveMTULimit: 22) }
        await #expect(processExitsWith: .failure) { _ = ATTBearer(enhancedMTU: 63) }
    }

    @Test("A multiple read of one handle, and a response without entries, trap")
    func makingEmptyPDUs() async {
        await #expect(processExitsWith: .failure) {
            _ = ATT.ReadMultipleRequest(handles: [.first])
        }
        await #expect(processExitsWith: .failure) { _ = ATT.ReadByTypeResponse(entries: []) }
    }

    @Test("Values of different lengths in one response trap")
    func mixingLengths() async {
        await #expect(processExitsWith: .failure) {
            _ = ATT.ReadByTypeResponse(entries: [
                .init(handle: .first, value: [1]), .init(handle: .last, value: []),
            ])
        }
    }

    @Test("A signature that does not have twelve bytes traps")
    func cuttingSignatures() async {
        await #expect(processExitsWith: .failure) {
            _ = ATT.SignedWriteCommand(handle: .first, value: [], signature: [1])
        }
    }
}
