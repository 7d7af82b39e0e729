// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: response timeout")
struct ResponseTimeoutTests {
    private func expectTimeout(_ dialogue: Dialogue, _ side: LinkSide) {
        dialogue.run(for: .milliseconds(39_800))
        #expect(dialogue[side].reason == nil)
        dialogue.run(for: .milliseconds(400))
        #expect(dialogue[side].reason == .linkLayerResponseTimeout)
    }

    @Test(
        "A procedure without an answer for forty seconds ends the link",
        arguments: [
            LinkProcedureRequest.readVersion, .readFeatures, .setPHY(.both(.le2M), .none),
            .setDataLength(bytes: 100, time: .microseconds(1_000)),
        ],
        LinkSide.allCases
    )
    func unanswered(request: LinkProcedureRequest, side: LinkSide) throws {
        let dialogue = Dialogue()
        dialogue[side.other].isUnreachable = true
        try dialogue.ask(side, request)
        expectTimeout(dialogue, side)
    }

    @Test("LL/CON/PER/BI-07-C: The link ends if the central's host never answers the request")
    func host() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(50)))
        expectTimeout(dialogue, .peripheral)
    }

    @Test("LL/CON/CEN/BI-05-C: The link ends if the peripheral's host never answers the request")
    func peripheralsHost() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .readFeatures)
        dialogue.run(events: 1)
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        expectTimeout(dialogue, .central)
    }

    @Test("The link ends if the peripheral's host never provides the key")
    func key() throws {
        let dialogue = Dialogue()
        let key = try #require(HCI.Key128([UInt8](1...16)))
        try dialogue.ask(.central, .encrypt(random: 0, encryptedDiversifier: 0, key: key))
        expectTimeout(dialogue, .central)
    }

    @Test("The link ends if the central does not continue its procedure")
    func responder() {
        let phy = Dialogue()
        phy.forge(.phyRequest(PHYOffer(send: .le2M, receive: .le2M)), to: .peripheral)
        expectTimeout(phy, .peripheral)
        let pace = Dialogue()
        pace.peripheral.wanted = []
        pace.forge(.connectionParameterRequest(.milliseconds(50)), to: .peripheral)
        expectTimeout(pace, .peripheral)
    }

    @Test("Indications of channels and parameters await no answer")
    func indications() throws {
        let dialogue = Dialogue()
        dialogue.peripheral.isUnreachable = true
        try dialogue.ask(.central, .setChannels(0xFF))
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        dialogue.run(for: .seconds(60))
        #expect(dialogue.central.reason == nil)
    }
}
