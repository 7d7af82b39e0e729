// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Testing

@Suite struct FlightRecorderTests {
    private func event(_ number: Int, _ text: String = "ready") -> FlightEvent {
        FlightEvent(time: .milliseconds(number), device: "strap", lane: .state, text: text)
    }

    @Test("A recorder keeps its events in order")
    func order() {
        let recorder = FlightRecorder(capacity: 4)
        for number in 1...3 { recorder.record(event(number)) }
        #expect(recorder.recording.events.map(\.time) == [1, 2, 3].map { .milliseconds($0) })
        #expect(recorder.recording.dropped == 0)
    }

    @Test(
        "A full recorder drops the oldest events and counts them",
        arguments: [5, 6, 7, 8, 9, 103]
    )
    func dropsOldest(count: Int) {
        let recorder = FlightRecorder(capacity: 4)
        for number in 1...count { recorder.record(event(number)) }
        let recording = recorder.recording
        #expect(recording.events.map(\.time) == (count - 3...count).map { .milliseconds($0) })
        #expect(recording.dropped == count - 4)
    }

    @Test("A recorder has room for at least one event")
    func minimumCapacity() {
        let recorder = FlightRecorder(capacity: -3)
        recorder.record(event(1))
        recorder.record(event(2))
        #expect(recorder.recording.events == [event(2)])
        #expect(recorder.capacity == 1)
    }

    @Test("The removal of all events also clears the count of dropped events")
    func removal() {
        let recorder = FlightRecorder(capacity: 1)
        recorder.setStart(Date(timeIntervalSince1970: 5))
        recorder.record(event(1))
        recorder.record(event(2))
        recorder.removeAll()
        #expect(recorder.recording == FlightRecording(start: Date(timeIntervalSince1970: 5)))
    }

    @Test("A recorder keeps its first start time")
    func firstStart() {
        let recorder = FlightRecorder()
        recorder.setStart(Date(timeIntervalSince1970: 5))
        recorder.setStart(Date(timeIntervalSince1970: 6))
        #expect(recorder.recording.start == Date(timeIntervalSince1970: 5))
    }

    @Test("A recorder truncates long text between two characters")
    func longText() {
        let recorder = FlightRecorder()
        recorder.record(event(1, String(repeating: "é", count: 5_000)))
        let text = recorder.recording.events[0].text
        #expect(text.utf8.count <= FlightRecorder.textLimit)
        #expect(text.hasPrefix("éé"))
        #expect(text.hasSuffix("é…"))
    }

    @Test("A recorder keeps or counts every event of concurrent tasks")
    func concurrentTasks() async {
        let recorder = FlightRecorder(capacity: 100)
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<100 { recorder.record(event(thread * 100 + number)) }
                }
            }
        }
        #expect(recorder.recording.events.count == 100)
        #expect(recorder.recording.dropped == 700)
    }
}

@Suite struct FlightRecordingTests {
    private static let recording = FlightRecording(
        start: Date(timeIntervalSince1970: 1_700_000_000.25),
        events: [
            FlightEvent(time: .zero, device: "", lane: .note, text: "begun"),
            FlightEvent(
                time: .microseconds(1_500_000),
                device: "</script> \"strap\"\n\u{1B}[31m",
                lane: .state,
                text: "outOfRange",
                detail: "the link was lost"
            ),
            FlightEvent(time: .milliseconds(-5), device: "strap", lane: .packet, text: "≥"),
        ],
        dropped: 3
    )

    @Test("A recording survives a round trip")
    func roundTrip() throws {
        let text = Self.recording.jsonLines
        #expect(text.split(separator: "\n").count == 4)
        #expect(try FlightRecording(jsonLines: text) == Self.recording)
    }

    @Test("A name with other line separators of Unicode survives a round trip")
    func lineSeparators() throws {
        let name = "a\u{85}b\u{2028}c\u{2029}d\u{B}e\u{C}f\rg"
        let event = FlightEvent(time: .zero, device: name, lane: .note, text: "seen")
        let recording = FlightRecording(events: [event])
        #expect(try FlightRecording(jsonLines: recording.jsonLines) == recording)
    }

    @Test("A recording has one JSON object in each line")
    func lineFormat() {
        let text = FlightRecording(events: [
            FlightEvent(time: .seconds(2), device: "strap", lane: .call, text: "connect")
        ]).jsonLines
        #expect(
            text == """
                {"dropped":0,"lanyardRecording":1}
                {"device":"strap","lane":"call","microseconds":2000000,"text":"connect"}

                """
        )
    }

    @Test(
        "Text that is not a recording is refused",
        arguments: ["", "{}", "hello\n", #"{"lanyardRecording":2,"dropped":0}"#]
    )
    func unknownFormat(text: String) {
        #expect(throws: FlightRecording.Failure.unknownFormat) {
            try FlightRecording(jsonLines: text)
        }
    }

    @Test("A recording with carriage returns and empty lines is read")
    func carriageReturns() throws {
        let event = FlightEvent(
            time: .seconds(1),
            device: "phone",
            lane: .state,
            text: "ready",
            detail: nil
        )
        let recording = FlightRecording(events: [event])
        let text = recording.jsonLines.replacingOccurrences(of: "\n", with: "\r\n\r\n")
        #expect(try FlightRecording(jsonLines: text) == recording)
    }

    @Test("The error for a malformed recording contains the line number")
    func malformedLine() {
        let text = FlightRecording().jsonLines + "\n{\"lane\":\"dance\"}\n"
        #expect(throws: FlightRecording.Failure.malformedLine(3)) {
            try FlightRecording(jsonLines: text)
        }
    }

    @Test("A truncated recording is refused, except at the end of a line")
    func truncation() throws {
        let text = Array(Self.recording.jsonLines.utf8)
        for count in 0..<text.count - 1 {
            let torn = String(decoding: text[..<count], as: UTF8.self)
            let read = try? FlightRecording(jsonLines: torn)
            // At the end of a line the text is a shorter recording; elsewhere it is not valid.
            #expect((read != nil) == (count > 0 && (text[count] == 10 || text[count - 1] == 10)))
        }
    }

    @Test("The description has a line for each event and no control characters")
    func descriptionLines() {
        #expect(
            Self.recording.description == """
                (3 earlier events were dropped)
                0.000000 note begun
                1.500000 </script> "strap"\\u{A}\\u{1B}[31m: state outOfRange (the link was lost)
                -0.005000 strap: packet ≥
                """
        )
    }
}
