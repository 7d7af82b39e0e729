// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONText
import Testing

@testable import LanyardCLI

@Suite("A value of a database file")
struct ValueTemplateTests {
    private func template(_ text: String) throws -> ValueTemplate {
        try JSONNode(parsing: text).template
    }

    @Test(
        "A fixed value has its bytes",
        arguments: [
            (#""""#, ""), (#""00FF""#, "00ff"), (#"{"hex": "0x01 02"}"#, "0102"),
            (#"{"text": "hé"}"#, "68c3a9"), (#"{"pattern": 4}"#, "00010203"), ("[]", ""),
            (#"["01", {"uint8": 2}, {"text": "3"}]"#, "010233"),
            (#"{"uint8": 255}"#, "ff"), (#"{"sint8": -1}"#, "ff"), (#"{"uint16": 258}"#, "0201"),
            (#"{"sint16": -2}"#, "feff"), (#"{"uint24": 1}"#, "010000"),
            (#"{"sint24": -8388608}"#, "000080"), (#"{"uint32": 4294967295}"#, "ffffffff"),
            (#"{"sint32": -1}"#, "ffffffff"), (#"{"uint48": 1}"#, "010000000000"),
            (#"{"sint48": -1}"#, "ffffffffffff"), (#"{"float32": 0.5}"#, "0000003f"),
            (#"{"float64": 1}"#, "000000000000f03f"),
            (#"{"sint16": -21.57, "exponent": -2}"#, "93f7"),
            (#"{"uint16": 300, "exponent": 2}"#, "0300"),
            (#"{"medfloat16": 36.4, "exponent": -1}"#, "6cf1"),
            (#"{"medfloat32": 36.4, "exponent": -1}"#, "6c0100ff"),
            (#"{"medfloat16": 12}"#, "0c00"),
        ]
    )
    func constants(text: String, hex: String) throws {
        let template = try template(text)
        #expect(template.bytes().hexadecimal == hex)
        #expect(!template.isMoving && template.longestCount == hex.count / 2)
    }

    @Test(
        "A changing value takes the numbers of its ramp, counter, list or sine",
        arguments: [
            (#"{"uint8": {"ramp": [1, 3]}}"#, [1, 2, 3, 1, 2, 3, 1]),
            (#"{"uint8": {"ramp": [10, 0], "step": 4}}"#, [10, 6, 2, 10, 6]),
            (#"{"uint8": {"ramp": [5, 5]}}"#, [5, 5]),
            (#"{"sint8": {"ramp": [0, 0.3], "step": 0.1}, "exponent": -1}"#, [0, 1, 2, 3, 0]),
            (#"{"sint8": {"ramp": [0.6, 0], "step": 0.2}, "exponent": -1}"#, [6, 4, 2, 0, 6]),
            (#"{"uint8": {"counter": 254}}"#, [254, 255, 0, 1]),
            (#"{"uint8": {"counter": 1, "step": -1}}"#, [1, 0, 255]),
            (#"{"uint8": {"list": [3, 1, 4]}}"#, [3, 1, 4, 3]),
            (#"{"uint8": {"sine": [0, 100], "period": 4}}"#, [50, 100, 50, 0, 50, 100]),
            (#"{"list": ["07", {"uint8": 9}]}"#, [7, 9, 7]),
        ] as [(String, [UInt8])]
    )
    func movements(text: String, values: [UInt8]) throws {
        let template = try template(text)
        #expect(template.isMoving)
        #expect(values.indices.map { template.bytes(at: $0, every: 1) } == values.map { [$0] })
    }

    @Test("A value combines fixed bytes with changing numbers")
    func framing() throws {
        let text = #"["06", {"uint8": {"ramp": [60, 61]}}, {"uint16": {"counter": 65535}}]"#
        let template = try template(text)
        #expect(template.bytes(at: 0) == [6, 60, 0xFF, 0xFF])
        #expect(template.bytes(at: 1) == [6, 61, 0, 0])
        #expect(template.bytes(at: 2) == [6, 60, 1, 0])
    }

    @Test("A sine stays within its bounds", arguments: NumberFormat.allCases)
    func bounds(format: NumberFormat) throws {
        let sine = VaryingNumber.sine(low: 1, high: 99, period: 7)
        for count in [0, 1, 12_345, 1_000_000_000, Int.max / 2] {
            let number = sine.value(at: count, every: 0.3)
            #expect((1...99).contains(number))
            #expect(format.encode(number, exponent: 0).count == format.count)
        }
    }

    @Test(
        "Numbers within and beyond a format's range have the format's length",
        arguments: NumberFormat.allCases
    )
    func ranges(format: NumberFormat) {
        let exponents = [
            format.exponents.lowerBound, 0, format.exponents.upperBound,
        ].map { Int($0) }
        for exponent in exponents {
            let range = format.range(exponent: exponent)
            for number in [range.lowerBound, range.upperBound, -1e308, 1e308] {
                #expect(format.encode(number, exponent: exponent).count == format.count)
            }
        }
    }
}

@Suite("The values of a served database")
struct ValueBoardTests {
    private let first = AttributeHandle(rawValue: 9)

    /// Returns the values of one service's characteristics, with their handles in order.
    private func makeValues(_ characteristics: String) throws -> (ServedValues, [AttributeHandle]) {
        let text = #"{"services": [{"uuid": "180F", "characteristics": [\#(characteristics)]}]}"#
        let accessory = try ServedAccessory(parsing: text)
        let (_, published) = try accessory.publishLocally()
        let handles = published.flatMap(\.characteristics).map(\.valueHandle)
        return (ServedValues(Array(zip(accessory.services, published))), handles)
    }

    private func entry(_ handle: AttributeHandle, _ offset: Int, _ value: [UInt8])
        -> GATT.WriteEntry
    {
        GATT.WriteEntry(handle: handle, offset: offset, value: value)
    }

    @Test("A value is read in parts to its end and not beyond")
    func reads() throws {
        var (values, handles) = try makeValues(
            #"{"uuid": "2A19", "properties": ["read"], "value": "010203"}"#
        )
        #expect(values.read(handles[0], offset: 0) == .success([1, 2, 3]))
        #expect(values.read(handles[0], offset: 2) == .success([3]))
        #expect(values.read(handles[0], offset: 3) == .success([]))
        #expect(values.read(handles[0], offset: 4) == .failure(.invalidOffset))
        #expect(values.read(.last, offset: 0) == .failure(.invalidHandle))
    }

    @Test("A value is written whole and in parts, within its length")
    func writes() throws {
        var (values, handles) = try makeValues(
            #"{"uuid": "2A19", "properties": ["write"], "value": "010203", "maximumLength": 4}"#
        )
        let handle = handles[0]
        #expect(values.write([entry(handle, 0, [9])]) == .success([]))
        #expect(values.value(of: handle) == [9])
        let parts = [entry(handle, 0, [1, 2]), entry(handle, 2, [3, 4])]
        #expect(values.write(parts) == .success([]))
        #expect(values.value(of: handle) == [1, 2, 3, 4])
        #expect(values.write([entry(handle, 1, [7])]) == .success([]))
        #expect(values.value(of: handle) == [1, 7, 3, 4])
        let tooLong = [entry(handle, 0, [0]), entry(handle, 1, [1, 2, 3, 4])]
        let isTooLong = ServedValues.Refusal(code: .invalidAttributeValueLength, handle: handle)
        #expect(values.write(tooLong) == .failure(isTooLong))
        let isOutside = ServedValues.Refusal(code: .invalidOffset, handle: handle)
        #expect(values.write([entry(handle, 5, [])]) == .failure(isOutside))
        #expect(values.value(of: handle) == [1, 7, 3, 4])
    }

    @Test("Several values are written together or not at all")
    func atomicity() throws {
        var (values, handles) = try makeValues(
            """
            {"uuid": "2A19", "properties": ["write"], "value": "01"},
            {"uuid": "2A1A", "properties": ["write"], "value": "02", "maximumLength": 1}
            """
        )
        let writes = [entry(handles[0], 0, [9]), entry(handles[1], 0, [9, 9])]
        let refusal = ServedValues.Refusal(code: .invalidAttributeValueLength, handle: handles[1])
        #expect(values.write(writes) == .failure(refusal))
        #expect(values.value(of: handles[0]) == [1] && values.value(of: handles[1]) == [2])
    }

    @Test("A write in parts is echoed once, on its own or another characteristic")
    func echoes() throws {
        var (values, handles) = try makeValues(
            """
            {"uuid": "2A19", "properties": ["write", "notify"], "echo": true},
            {"uuid": "2A1A", "properties": ["write"], "echo": "2A1B"},
            {"uuid": "2A1B", "properties": ["notify"]}
            """
        )
        let writes = [
            entry(handles[1], 0, [1]), entry(handles[0], 0, [7]), entry(handles[1], 1, [2]),
        ]
        #expect(
            values.write(writes)
                == .success([
                    .init(handle: handles[2], value: [1, 2]), .init(handle: handles[0], value: [7]),
                ])
        )
    }

    @Test("A counting value changes when its beginning is read")
    func countedReads() throws {
        var (values, handles) = try makeValues(
            #"{"uuid": "2A19", "properties": ["read"], "value": {"uint16": {"counter": 1}}}"#
        )
        #expect(values.read(handles[0], offset: 0) == .success([1, 0]))
        #expect(values.read(handles[0], offset: 1) == .success([0]))
        #expect(values.read(handles[0], offset: 0) == .success([2, 0]))
    }

    @Test("A value with a period changes with the period, not when it is read")
    func periods() throws {
        var (values, handles) = try makeValues(
            """
            {"uuid": "2A19", "properties": ["read", "notify"], "every": 0.5,
             "value": {"uint8": {"ramp": [1, 3]}}},
            {"uuid": "2A1A", "properties": ["read", "notify"], "every": 2, "value": "09"}
            """
        )
        #expect(values.periods.map(\.handle) == handles)
        #expect(values.periods.map(\.period) == [.milliseconds(500), .seconds(2)])
        #expect(values.read(handles[0], offset: 0) == .success([1]))
        #expect(values.read(handles[0], offset: 0) == .success([1]))
        #expect(values.advance(handles[0]) == [2])
        #expect(values.read(handles[0], offset: 0) == .success([2]))
        #expect(values.advance(handles[1]) == [9])
    }

    @Test("A typed command sets a value unless the value changes by itself or is too long")
    func settings() throws {
        var (values, handles) = try makeValues(
            """
            {"uuid": "2A19", "properties": ["read"], "maximumLength": 1},
            {"uuid": "2A1A", "properties": ["read"], "value": {"list": ["00"]}}
            """
        )
        #expect(values.set([5], of: handles[0]) == nil)
        #expect(values.value(of: handles[0]) == [5])
        #expect(
            values.set([5, 6], of: handles[0])?.hasPrefix(
                "it holds at most 1 byte, and 2 were given; "
            ) == true
        )
        #expect(
            values.set([5], of: handles[1])?.hasPrefix("its value changes by itself (a ramp, ")
                == true
        )
        #expect(values.set([5], of: .last) == "there is no value #65535")
        #expect(values.value(of: handles[0]) == [5])
    }
}

@Suite("The times at which values are sent")
struct PeriodScheduleTests {
    private let handles = [1, 2].map { AttributeHandle(rawValue: $0) }

    @Test("Each value has its own period, and missed periods are skipped")
    func schedule() {
        var schedule = PeriodSchedule(
            [(handles[0], .seconds(2)), (handles[1], .seconds(3))],
            now: .zero
        )
        let second = { Instant.zero + .seconds($0) }
        #expect(schedule.nextDeadline == second(2))
        #expect(schedule.takeDue(now: second(1)).isEmpty)
        #expect(schedule.takeDue(now: second(2)) == [handles[0]])
        #expect(schedule.takeDue(now: second(3)) == [handles[1]])
        #expect(schedule.nextDeadline == second(4))
        #expect(schedule.takeDue(now: second(100)) == handles)
        #expect(schedule.nextDeadline == second(102))
    }

    @Test("Without periods, there is no deadline")
    func empty() {
        #expect(PeriodSchedule([], now: .zero).nextDeadline == nil)
    }
}
