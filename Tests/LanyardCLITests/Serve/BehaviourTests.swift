// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONReading
import Testing

@testable import LanyardCLI

@Suite("A value of a database file")
struct ValueTemplateTests {
    private func template(_ text: String) throws -> ValueTemplate {
        try JSONNode(parsing: text).template
    }

    @Test(
        "is octets",
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
        "moves",
        arguments: [
            (#"{"uint8": {"ramp": [1, 3]}}"#, [1, 2, 3, 1, 2, 3, 1]),
            (#"{"uint8": {"ramp": [10, 0], "step": 4}}"#, [10, 6, 2, 10, 6]),
            (#"{"uint8": {"ramp": [5, 5]}}"#, [5, 5]),
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
        #expect(values.indices.map { template.bytes(after: $0, every: 1) } == values.map { [$0] })
    }

    @Test("frames what moves in what stays")
    func framing() throws {
        let text = #"["06", {"uint8": {"ramp": [60, 61]}}, {"uint16": {"counter": 65535}}]"#
        let template = try template(text)
        #expect(template.bytes(after: 0) == [6, 60, 0xFF, 0xFF])
        #expect(template.bytes(after: 1) == [6, 61, 0, 0])
        #expect(template.bytes(after: 2) == [6, 60, 1, 0])
    }

    @Test("swings within its bounds, however long it has", arguments: NumberFormat.allCases)
    func bounds(format: NumberFormat) throws {
        let sine = MovingNumber.sine(low: 1, high: 99, period: 7)
        for count in [0, 1, 12_345, 1_000_000_000, Int.max / 2] {
            let number = sine.value(after: count, every: 0.3)
            #expect((1...99).contains(number))
            #expect(format.encode(number, exponent: 0).count == format.count)
        }
    }

    @Test("holds every number of its format's range", arguments: NumberFormat.allCases)
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

    /// A board for the characteristics of one service, with their handles in order.
    private func board(_ characteristics: String) throws -> (ValueBoard, [AttributeHandle]) {
        let text = #"{"services": [{"uuid": "180F", "characteristics": [\#(characteristics)]}]}"#
        let accessory = try ServedAccessory(parsing: text)
        let (_, published) = try accessory.rehearse()
        let handles = published.flatMap(\.characteristics).map(\.valueHandle)
        return (ValueBoard(Array(zip(accessory.services, published))), handles)
    }

    private func entry(_ handle: AttributeHandle, _ offset: Int, _ value: [UInt8])
        -> GATT.WriteEntry
    {
        GATT.WriteEntry(handle: handle, offset: offset, value: value)
    }

    @Test("are read in parts, to the end and not beyond")
    func reads() throws {
        var (board, handles) = try board(
            #"{"uuid": "2A19", "properties": ["read"], "value": "010203"}"#
        )
        #expect(board.read(handles[0], offset: 0) == .success([1, 2, 3]))
        #expect(board.read(handles[0], offset: 2) == .success([3]))
        #expect(board.read(handles[0], offset: 3) == .success([]))
        #expect(board.read(handles[0], offset: 4) == .failure(.invalidOffset))
        #expect(board.read(.last, offset: 0) == .failure(.invalidHandle))
    }

    @Test("are written whole and in parts, within their length")
    func writes() throws {
        var (board, handles) = try board(
            #"{"uuid": "2A19", "properties": ["write"], "value": "010203", "maximumLength": 4}"#
        )
        let handle = handles[0]
        #expect(board.write([entry(handle, 0, [9])]) == .success([]))
        #expect(board.value(of: handle) == [9])
        let parts = [entry(handle, 0, [1, 2]), entry(handle, 2, [3, 4])]
        #expect(board.write(parts) == .success([]))
        #expect(board.value(of: handle) == [1, 2, 3, 4])
        #expect(board.write([entry(handle, 1, [7])]) == .success([]))
        #expect(board.value(of: handle) == [1, 7, 3, 4])
        let tooLong = [entry(handle, 0, [0]), entry(handle, 1, [1, 2, 3, 4])]
        #expect(board.write(tooLong) == .failure(.invalidAttributeValueLength))
        #expect(board.write([entry(handle, 5, [])]) == .failure(.invalidOffset))
        #expect(board.value(of: handle) == [1, 7, 3, 4])
    }

    @Test("are written together, or none of them")
    func atomicity() throws {
        var (board, handles) = try board(
            """
            {"uuid": "2A19", "properties": ["write"], "value": "01"},
            {"uuid": "2A1A", "properties": ["write"], "value": "02", "maximumLength": 1}
            """
        )
        let writes = [entry(handles[0], 0, [9]), entry(handles[1], 0, [9, 9])]
        #expect(board.write(writes) == .failure(.invalidAttributeValueLength))
        #expect(board.value(of: handles[0]) == [1] && board.value(of: handles[1]) == [2])
    }

    @Test("come back as echoes: there, or somewhere else, once for all their parts")
    func echoes() throws {
        var (board, handles) = try board(
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
            board.write(writes)
                == .success([
                    .init(handle: handles[2], value: [1, 2]), .init(handle: handles[0], value: [7]),
                ])
        )
    }

    @Test("that count move when their beginning is read")
    func countedReads() throws {
        var (board, handles) = try board(
            #"{"uuid": "2A19", "properties": ["read"], "value": {"uint16": {"counter": 1}}}"#
        )
        #expect(board.read(handles[0], offset: 0) == .success([1, 0]))
        #expect(board.read(handles[0], offset: 1) == .success([0]))
        #expect(board.read(handles[0], offset: 0) == .success([2, 0]))
    }

    @Test("that have a period move with it, and not when they are read")
    func periods() throws {
        var (board, handles) = try board(
            """
            {"uuid": "2A19", "properties": ["read", "notify"], "every": 0.5,
             "value": {"uint8": {"ramp": [1, 3]}}},
            {"uuid": "2A1A", "properties": ["read", "notify"], "every": 2, "value": "09"}
            """
        )
        #expect(board.periods.map(\.handle) == handles)
        #expect(board.periods.map(\.period) == [.milliseconds(500), .seconds(2)])
        #expect(board.read(handles[0], offset: 0) == .success([1]))
        #expect(board.read(handles[0], offset: 0) == .success([1]))
        #expect(board.advance(handles[0]) == [2])
        #expect(board.read(handles[0], offset: 0) == .success([2]))
        #expect(board.advance(handles[1]) == [9])
    }

    @Test("are set by a person, unless they move by themselves or are too long")
    func settings() throws {
        var (board, handles) = try board(
            """
            {"uuid": "2A19", "properties": ["read"], "maximumLength": 1},
            {"uuid": "2A1A", "properties": ["read"], "value": {"list": ["00"]}}
            """
        )
        #expect(board.set([5], of: handles[0]) == nil)
        #expect(board.value(of: handles[0]) == [5])
        #expect(board.set([5, 6], of: handles[0]) == "2A19 holds at most 1 octets")
        #expect(board.set([5], of: handles[1]) == "2A1A moves by itself")
        #expect(board.set([5], of: .last) == "there is no value #65535")
        #expect(board.value(of: handles[0]) == [5])
    }
}

@Suite("The times at which values are sent")
struct PeriodScheduleTests {
    private let handles = [1, 2].map { AttributeHandle(rawValue: $0) }

    @Test("come for each value by itself, and are not made up for")
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

    @Test("are none where nothing has a period")
    func empty() {
        #expect(PeriodSchedule([], now: .zero).nextDeadline == nil)
    }
}
