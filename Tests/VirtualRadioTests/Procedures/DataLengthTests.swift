// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: data length")
struct DataLengthTests {
    private func change(_ event: HCI.Event?) -> HCI.LEDataLengthChange? {
        guard case .dataLengthChange(let change) = event else { return nil }
        return change
    }

    private static let longest = LinkProcedureRequest.setDataLength(
        bytes: 251,
        time: .microseconds(2_120)
    )

    @Test(
        "LL/CON/CEN/BV-73-C, BV-74-C, LL/CON/PER/BV-77-C, BV-78-C: One side sends longer packets",
        arguments: LinkSide.allCases
    )
    func oneWay(side: LinkSide) throws {
        let dialogue = Dialogue()
        try dialogue.ask(side, Self.longest)
        dialogue.run(events: 1)
        #expect(dialogue.script.map { $0.dropFirst(2) } == ["LENGTH_REQ", "LENGTH_RSP"])
        let sender = change(dialogue[side].events.first)
        #expect(sender?.transmitBytes == 251)
        #expect(sender?.transmitTime.rawValue == 2_120)
        #expect(sender?.receiveBytes == 27)
        #expect(sender?.receiveTime.rawValue == 328)
        let receiver = change(dialogue[side.other].events.first)
        #expect(receiver?.transmitBytes == 27)
        #expect(receiver?.receiveBytes == 251)
        #expect(receiver?.receiveTime.rawValue == 2_120)
        #expect(dialogue[side].procedures.dataLength.sendLimit(on: .le1M) == 251)
        #expect(dialogue[side].actions == [.setDataLength(dialogue[side].procedures.dataLength)])
    }

    @Test("An update without a change is not reported")
    func noChange() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, Self.longest)
        dialogue.run(events: 1)
        dialogue.forget()
        try dialogue.ask(.central, Self.longest)
        dialogue.run(events: 1)
        #expect(dialogue.script.count == 2)
        #expect(dialogue.central.events.isEmpty && dialogue.peripheral.events.isEmpty)
        #expect(dialogue.central.actions.isEmpty && dialogue.peripheral.actions.isEmpty)
    }

    @Test("A suggested default is requested as soon as the link exists")
    func suggestion() throws {
        let dialogue = Dialogue { _, local in
            local.suggestedBytes = 251
            local.suggestedTime = .microseconds(2_120)
        }
        dialogue.run(events: 2)
        for side in LinkSide.allCases {
            let length = dialogue[side].procedures.dataLength
            #expect(length.sendBytes == 251 && length.receiveBytes == 251)
            #expect(dialogue[side].events.count == 1)
        }
    }

    @Test("A peer without the procedure is not asked again")
    func unknown() throws {
        let dialogue = Dialogue { side, local in
            if side == .peripheral { local.features.remove(.dataPacketLengthExtension) }
        }
        try dialogue.ask(.central, Self.longest)
        dialogue.run(events: 1)
        #expect(dialogue.script == ["→ LENGTH_REQ", "← UNKNOWN_RSP"])
        #expect(dialogue.central.events.isEmpty)
        try dialogue.ask(.central, .readFeatures)
        dialogue.run(events: 1)
        try dialogue.ask(.central, Self.longest)
        dialogue.run(events: 1)
        #expect(dialogue.script.count == 4)
    }

    @Test("Simultaneous requests of both sides agree")
    func crossing() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, Self.longest)
        try dialogue.ask(.peripheral, .setDataLength(bytes: 100, time: .microseconds(1_000)))
        dialogue.run(events: 2)
        let central = dialogue.central.procedures.dataLength
        let peripheral = dialogue.peripheral.procedures.dataLength
        #expect(central.sendBytes == 251 && central.receiveBytes == 100)
        #expect(peripheral.sendBytes == 100 && peripheral.receiveBytes == 251)
        #expect(peripheral.sendTime == central.receiveTime)
    }

    @Test(
        "Lengths and times out of range are refused",
        arguments: [
            (26, 328), (252, 2_120), (27, 327), (251, 17_041),
        ]
    )
    func illegal(bytes: Int, time: Int64) {
        let dialogue = Dialogue()
        let request = LinkProcedureRequest.setDataLength(bytes: bytes, time: .microseconds(time))
        #expect(dialogue.refusal(.central, request) == .invalidCommandParameters)
    }

    @Test("On LE Coded, a packet of 27 bytes may always take 2,704 µs")
    func coded() throws {
        let dialogue = Dialogue(modulation: .codedS8)
        let length = dialogue.central.procedures.dataLength
        #expect(length.sendTime == .microseconds(2_704))
        #expect(length.sendBytes == 27)
        try dialogue.ask(.central, .setDataLength(bytes: 251, time: .microseconds(17_040)))
        dialogue.run(events: 1)
        #expect(dialogue.central.procedures.dataLength.sendLimit(on: .codedS8) == 251)
    }

    @Test(
        "The maximum time limits the payload",
        arguments: [
            (Modulation.le1M, 1_064, 119), (.le2M, 1_064, 251), (.codedS2, 2_704, 136),
            (.codedS8, 2_704, 27),
            (.codedS8, 328, 27),
        ]
    )
    func limits(modulation: Modulation, time: Int64, bytes: Int) {
        var length = LinkDataLength.minimum
        length.sendBytes = 251
        length.sendTime = .microseconds(time)
        #expect(length.sendLimit(on: modulation) == bytes)
        let packet = DataPDU(payloadLength: bytes, isEncrypted: true)
        #expect(packet.airTime(modulation) <= length.sendTime || bytes == 27)
    }
}
