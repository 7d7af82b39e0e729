// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

@Suite("Procedures: robustness")
struct ProcedureRobustnessTests {
    private static func proposal(_ generator: inout SplitMix64) -> ConnectionParameterProposal {
        ConnectionParameterProposal(
            intervalMinimum: .microseconds(Int64(generator.next() % 5_000) * 1_250),
            intervalMaximum: .microseconds(Int64(generator.next() % 5_000) * 1_250),
            latency: Int(generator.next() % 600),
            supervisionTimeout: .milliseconds(Int64(generator.next() % 40_000))
        )
    }

    private static func length(_ generator: inout SplitMix64) -> LengthOffer {
        LengthOffer(
            receiveBytes: Int(generator.next() % 70_000),
            receiveTime: .microseconds(Int64(generator.next() % 70_000)),
            sendBytes: Int(generator.next() % 70_000),
            sendTime: .microseconds(Int64(generator.next() % 70_000))
        )
    }

    private static func phys(_ generator: inout SplitMix64) -> PHYOffer {
        PHYOffer(
            send: HCI.PHYSet(rawValue: UInt8(truncatingIfNeeded: generator.next())),
            receive: HCI.PHYSet(rawValue: UInt8(truncatingIfNeeded: generator.next()))
        )
    }

    private static func indication(_ generator: inout SplitMix64, _ counter: UInt16) -> LLControlPDU
    {
        let instant = counter &+ UInt16(truncatingIfNeeded: generator.next() % 12) &- 1
        switch generator.next() % 3 {
        case 0:
            let parameters = LinkParameters(
                interval: .microseconds(Int64(generator.next() % 4_000) * 1_250),
                latency: Int(generator.next() % 600),
                supervisionTimeout: .milliseconds(Int64(generator.next() % 40_000))
            )
            return .connectionUpdateIndication(
                ConnectionUpdateIndication(
                    parameters: parameters,
                    windowOffset: .microseconds(Int64(generator.next() % 1_000_000)),
                    instant: instant
                )
            )
        case 1: return .channelMapIndication(channels: generator.next() >> 27, instant: instant)
        default:
            let decision = PHYDecision(
                centralToPeripheral: PHY(rawValue: UInt8(generator.next() % 5)),
                peripheralToCentral: PHY(rawValue: UInt8(generator.next() % 5)),
                instant: instant
            )
            return .phyUpdateIndication(decision)
        }
    }

    private static func pdu(_ generator: inout SplitMix64, _ counter: UInt16) -> LLControlPDU {
        let number = generator.next()
        let byte = UInt8(truncatingIfNeeded: number >> 8)
        let code = HCI.ErrorCode(rawValue: UInt8(truncatingIfNeeded: number >> 16))
        switch number % 24 {
        case 0, 1, 2: return indication(&generator, counter)
        case 3:
            return .encryptionRequest(
                EncryptionRequest(
                    random: generator.next(),
                    encryptedDiversifier: 1,
                    diversifier: 2,
                    vector: 3
                )
            )
        case 4: return .encryptionResponse(diversifier: generator.next(), vector: 7)
        case 5: return .startEncryptionRequest
        case 6: return .startEncryptionResponse
        case 7: return .unknownResponse(opcode: byte % 0x20)
        case 8: return .featureRequest(HCI.LEFeatures(rawValue: generator.next()))
        case 9: return .featureResponse(HCI.LEFeatures(rawValue: generator.next()))
        case 10: return .pauseEncryptionRequest
        case 11: return .pauseEncryptionResponse
        case 12: return .versionIndication(ControllerConfiguration().linkVersion)
        case 13: return .rejectIndication(code)
        case 14: return .peripheralFeatureRequest(HCI.LEFeatures(rawValue: generator.next()))
        case 15: return .connectionParameterRequest(proposal(&generator))
        case 16: return .connectionParameterResponse(proposal(&generator))
        case 17: return .extendedRejectIndication(opcode: byte % 0x20, code)
        case 18: return .pingRequest
        case 19: return .lengthRequest(length(&generator))
        case 20: return .lengthResponse(length(&generator))
        case 21: return .phyRequest(phys(&generator))
        case 22: return .phyResponse(phys(&generator))
        default: return .unknown(opcode: byte, length: Int(byte))
        }
    }

    private static func request(_ generator: inout SplitMix64) throws -> LinkProcedureRequest {
        let key = try #require(
            HCI.Key128([UInt8](repeating: UInt8(generator.next() % 2), count: 16))
        )
        let offer = phys(&generator)
        switch generator.next() % 13 {
        case 0: return .readVersion
        case 1: return .readFeatures
        case 2: return .updateConnection(proposal(&generator))
        case 3: return .acceptParameters(proposal(&generator))
        case 4: return .refuseParameters(.unacceptableConnectionParameters)
        case 5:
            let bytes = Int(generator.next() % 300)
            return .setDataLength(bytes: bytes, time: .microseconds(Int64(bytes) * 20))
        case 6:
            let proposal = HCI.PHYPreference(transmit: offer.send, receive: offer.receive)
            return .setPHY(proposal, .fast)
        case 7, 8: return .encrypt(random: 1, encryptedDiversifier: 2, key: key)
        case 9: return .provideKey(key)
        case 10: return .refuseKey
        case 11:
            return .setAuthenticatedPayloadTimeout(.milliseconds(Int64(generator.next() % 900)))
        default: return .setChannels(generator.next() >> 20)
        }
    }

    /// Checks the properties of an end that must hold after all received PDUs.
    private func check(_ end: Dialogue.End) {
        let procedures = end.procedures
        #expect((27...251).contains(procedures.dataLength.sendBytes))
        #expect((27...251).contains(procedures.dataLength.receiveBytes))
        #expect(procedures.dataLength.sendTime <= LinkDataLength.longestTime)
        #expect(procedures.channels.nonzeroBitCount >= 2)
        #expect(procedures.parameters.interval >= .microseconds(7_500))
        #expect([PHY.le1M, .le2M, .leCoded].contains(procedures.receiving))
        // The radio checks the MIC, and ends the link without informing the procedures.
        let isEndedByRadio = end.reason == .messageIntegrityFailure
        #expect(end.reason == nil || procedures.nextDeadline == nil || isEndedByRadio)
    }

    @Test(
        "Forged PDUs never violate the properties of a link, in any state",
        arguments: RunSeed.seeds(20)
    )
    func forgeries(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var dialogue = Dialogue(from: UInt16(truncatingIfNeeded: generator.next()))
        for _ in 0..<1_000 {
            let side: LinkSide = generator.next() % 2 == 0 ? .central : .peripheral
            switch generator.next() % 8 {
            case 0, 1: _ = dialogue.refusal(side, try Self.request(&generator))
            case 2: dialogue.run(events: Int(generator.next() % 10))
            case 3: dialogue.sendData(to: side)
            default: break
            }
            dialogue.forge(Self.pdu(&generator, dialogue.eventCounter), to: side)
            check(dialogue.central)
            check(dialogue.peripheral)
            if dialogue.central.reason != nil || dialogue.peripheral.reason != nil {
                dialogue = Dialogue(from: UInt16(truncatingIfNeeded: generator.next()))
            }
        }
    }

    @Test(
        "Two correct ends keep their link under random host requests",
        arguments: RunSeed.seeds(20)
    )
    func correctEnds(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let dialogue = Dialogue(from: 65_000)
        let key = try #require(HCI.Key128([UInt8](repeating: 0, count: 16)))
        for _ in 0..<300 {
            let side: LinkSide = generator.next() % 2 == 0 ? .central : .peripheral
            var request = try Self.request(&generator)
            if case .encrypt = request {
                request = .encrypt(random: 0, encryptedDiversifier: 0, key: key)
            }
            if case .refuseKey = request { request = .provideKey(key) }
            if case .provideKey = request { request = .provideKey(key) }
            _ = dialogue.refusal(side, request)
            dialogue.run(events: Int(generator.next() % 4))
            // The hosts answer each request of their controllers eventually.
            _ = dialogue.refusal(.peripheral, .provideKey(key))
            for side in LinkSide.allCases where generator.next() % 3 == 0 {
                _ = dialogue.refusal(side, .acceptParameters(.milliseconds(40)))
            }
            try #require(
                dialogue.central.reason == nil,
                "seed \(seed): \(dialogue.script.suffix(12))"
            )
            try #require(
                dialogue.peripheral.reason == nil,
                "seed \(seed): \(dialogue.script.suffix(12))"
            )
        }
        for _ in 0..<1_000 {
            _ = dialogue.refusal(.peripheral, .provideKey(key))
            for side in LinkSide.allCases {
                _ = dialogue.refusal(side, .acceptParameters(.milliseconds(40)))
            }
            dialogue.run(events: 5)
        }
        let (central, peripheral) = (dialogue.central.procedures, dialogue.peripheral.procedures)
        #expect(central.parameters == peripheral.parameters)
        #expect(central.channels == peripheral.channels)
        #expect(central.sending.phy == peripheral.receiving)
        #expect(central.receiving == peripheral.sending.phy)
        #expect(central.dataLength.sendBytes == peripheral.dataLength.receiveBytes)
        #expect(central.dataLength.receiveTime == peripheral.dataLength.sendTime)
        #expect(dialogue.central.reason == nil && dialogue.peripheral.reason == nil)
    }

    @Test("An end of a link limits its responses to a flood of requests")
    func flood() {
        let dialogue = Dialogue()
        for _ in 0..<1_000 { dialogue.forge(.pingRequest, to: .peripheral) }
        dialogue.run(events: 100)
        #expect(dialogue.script.count <= 16)
    }
}
