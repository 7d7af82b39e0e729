// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

@testable import Lanyard
@testable import LanyardCLI

extension FuzzTarget {
    static let messageTargets = [
        FuzzTarget("message-framing", fuzzFraming),
        FuzzTarget("message-envelopes", fuzzEnvelopes),
        FuzzTarget("sealed-frames", fuzzSealing),
        FuzzTarget("values", fuzzValues),
    ]
}

/// Reads a stream of messages at once and byte by byte.
private func fuzzFraming(_ bytes: [UInt8]) {
    let stream = Data(bytes)
    check(StartEndFraming(limit: messageLimit), stream)
    check(COBSFraming(limit: messageLimit), stream)
    check(LengthPrefixedFraming(.twoBytes, .bigEndian, limit: messageLimit), stream)
}

/// The longest message that the framings accept.
private let messageLimit = 64

private func check<Framing: MessageFraming>(_ framing: Framing, _ stream: Data) {
    var whole = framing
    let together = messages(whole.receive(stream))
    var pieces = framing
    let apart = stream.flatMap { messages(pieces.receive(Data([$0]))) }
    require(together == apart, "the chunks of a stream change its messages")
    for message in together {
        require(message.count <= messageLimit, "a message longer than the limit")
        var fresh = framing
        let frame = try? framing.frame(message)
        require(
            frame.map { messages(fresh.receive($0)) } == [message],
            "another message comes back"
        )
    }
}

private func messages(_ events: [FramingEvent]) -> [Data] {
    events.compactMap { event in
        guard case .message(let message) = event else { return nil }
        return message
    }
}

private func fuzzEnvelopes(_ bytes: [UInt8]) {
    guard let envelope = MessageEnvelope(Data(bytes)) else { return }
    require(MessageEnvelope(envelope.json) == envelope, "another envelope comes back")
}

/// Reads a value. The first bytes select a type or an assigned number, and the others are the
/// value.
private func fuzzValues(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    if input.flag() {
        let uuid = BluetoothUUID((input.flag() ? 0x2A00 : 0x2900) + UInt16(input.byte()))
        let value = input.remaining()
        for text in [
            ValueText.describe(value, ofCharacteristic: uuid),
            ValueText.describe(value, ofDescriptor: uuid),
        ] {
            require(text.unicodeScalars.allSatisfy { $0.isPrintable }, "not for a terminal")
        }
        return
    }
    guard let type = input.pick(types) else { return }
    if let value = try? type.init(decoding: Data(input.remaining())) { check(value) }
}

private let types: [any CharacteristicValue.Type] = [
    HeartRateMeasurement.self, BodySensorLocation.self, HeartRateControlPoint.self,
    BatteryLevel.self, TransmitPower.self, AlertLevel.self, DateTime.self, DayDateTime.self,
    CurrentTime.self, TemperatureMeasurement.self, IntermediateTemperature.self,
    TemperatureType.self, BloodPressureMeasurement.self, IntermediateCuffPressure.self,
    WeightMeasurement.self, RunningSpeedAndCadence.self, CyclingSpeedAndCadence.self,
    CyclingPower.self, GlucoseMeasurement.self, DeviceName.self, PnPIdentifier.self,
    SystemIdentifier.self, Appearance.self, Temperature.self, Humidity.self, Pressure.self,
]

private func check<Value: CharacteristicValue>(_ value: Value) {
    require(!value.description.isEmpty, "a value without a description")
    require((try? Value(decoding: value.encoded)) == value, "another value comes back")
}
