// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Synchronization
import Testing

@Suite("Writing and messages", .eachSystem)
struct WritesAndMessagesTests {
    @Test(
        "Row 15: Each write has the kind that its characteristic permits, and refusals are reported"
    )
    func writes() async throws {
        let world = TestWorld(seed: 151)
        let box = world.add(.box)
        try await world.run {
            let known = try await world.phone.central(.box).pair(.box)
            try await known.write(Data([1]), to: "1B11")
            #expect(box.written(to: "1B11") == [Data([1])])
            let refusal = await #expect(throws: AccessoryError.self) {
                try await known.write(Data([0xFF]), to: "1B11", as: .withResponse)
            }
            guard case .refused(code: 0x80, _) = refusal else { throw Unexpected(refusal) }
            try await known.write(Data([2]), to: "1B12")
            try await world.expect("the value arrives", within: .seconds(1)) {
                box.written(to: "1B12") == [Data([2])]
            }
            await #expect(throws: AccessoryError.notPermitted("1B13")) {
                try await known.write(Data([3]), to: "1B13")
            }
            await #expect(throws: AccessoryError.notPermitted("1B12")) {
                try await known.write(Data([3]), to: "1B12", as: .withResponse)
            }
        }
    }

    @Test(
        "Row 15: A large value arrives in chunks, in order, with progress",
        arguments: [WriteKind.withResponse, .withoutResponse]
    )
    func chunks(kind: WriteKind) async throws {
        let world = TestWorld(seed: 152)
        let box = world.add(.box)
        let value = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let characteristic: BluetoothID = kind == .withResponse ? "1B11" : "1B12"
        try await world.run {
            let known = try await world.phone.central(.box).pair(.box)
            let progress = Mutex<[Int]>([])
            try await known.writeInChunks(value, to: characteristic, as: kind) { sent in
                progress.withLock { $0.append(sent) }
            }
            try await world.expect("the whole value arrives", within: .seconds(60)) {
                box.written(to: characteristic).reduce(0) { $0 + $1.count } == value.count
            }
            let chunks = box.written(to: characteristic)
            #expect(chunks.reduce(Data(), +) == value)
            #expect(chunks.count > value.count / 513)
            #expect(chunks.allSatisfy { $0.count <= 512 })
            let reported = progress.withLock { $0 }
            #expect(reported == reported.sorted() && reported.last == value.count)
        }
    }

    @Test(
        "Row 15: A value longer than one write is refused, and the longest is accepted",
        arguments: [WriteKind.withResponse, .withoutResponse]
    )
    func lengths(kind: WriteKind) async throws {
        let world = TestWorld(seed: 153)
        let box = world.add(.box)
        let characteristic: BluetoothID = kind == .withResponse ? "1B11" : "1B12"
        try await world.run {
            let known = try await world.phone.central(.box).pair(.box)
            let length = known.maximumWriteLength(for: kind)
            #expect(length >= 20)
            await #expect(throws: AccessoryError.tooLong(length: length + 1, maximum: length)) {
                try await known.write(Data(count: length + 1), to: characteristic, as: kind)
            }
            try await known.write(Data(count: length), to: characteristic, as: kind)
            try await world.expect("only the longest value arrives", within: .seconds(2)) {
                box.written(to: characteristic) == [Data(count: length)]
            }
            try await known.disconnect()
            #expect(known.maximumWriteLength(for: kind) == 0)
        }
    }

    @Test("Row 15: Writes faster than the radio wait for room, and nothing is lost")
    func flow() async throws {
        let world = TestWorld(seed: 154)
        let box = world.add(.box)
        let values = (0..<150).map { Data([UInt8($0)]) + Data(count: 100) }
        try await world.run {
            let known = try await world.phone.central(.box).pair(.box)
            let begun = world.now
            for value in values { try await known.write(value, to: "1B12") }
            #expect(world.now > begun, "the buffers of the controller are not that large")
            try await world.expect("all values arrive in order", within: .seconds(30)) {
                box.written(to: "1B12") == values
            }
        }
    }

    @Test("Row 16: Requests are answered in JSON between STX and ETX")
    func messages() async throws {
        let world = TestWorld(seed: 161)
        let box = world.add(.box)
        try await world.run {
            let known = try await world.phone.central(.box).pair(.box)
            let channel = known.messages(writing: "1B01", listening: "1B02")
            for number in 1...20 {
                let answer = try await channel.request(
                    BoxQuestion(text: "number \(number)"),
                    expecting: BoxAnswer.self
                )
                #expect(answer == BoxAnswer(text: "number \(number)? yes"))
            }
            let bytes = box.written(to: "1B01").reduce(Data(), +)
            #expect(bytes.first == 0x02 && bytes.last == 0x03)
            #expect(bytes.count { $0 == 0x02 } == 20)
        }
    }

    @Test("The example in the documentation of VirtualService.messages answers messages")
    func bytes() async throws {
        struct Request: Codable, Sendable { var ask: String }
        struct Answer: Codable, Equatable, Sendable { var time: Int }
        let world = TestWorld(seed: 163)
        world.add(
            VirtualAccessory(
                "Clock",
                services: [
                    .messages("1B00", writing: "1B01", notifying: "1B02") { request in
                        request == Data(#"{"ask":"time"}"#.utf8) ? Data(#"{"time":1}"#.utf8) : nil
                    }
                ]
            )
        )
        let clock = AccessoryDescription(
            kind: "clock",
            matching: .service("1B00"),
            services: [ServiceDescription("1B00", [.write("1B01"), .subscribe("1B02")])]
        )
        try await world.run {
            var options = MessageChannelOptions()
            options.form = .plain
            let channel = try await world.phone.central(clock).pair(clock)
                .messages(writing: "1B01", listening: "1B02", options: options)
            let answer = try await channel.request(Request(ask: "time"), expecting: Answer.self)
            #expect(answer == Answer(time: 1))
        }
    }

    @Test("Row 16: A request without an answer ends in time, and the next one gets its own answer")
    func silence() async throws {
        let world = TestWorld(seed: 162)
        let box = world.add(.box)
        try await world.run {
            let known = try await world.phone.central(.box).pair(.box)
            let channel = known.messages(writing: "1B01", listening: "1B02")
            let begun = world.now
            await #expect(throws: MessageError.self) {
                try await channel.request(
                    BoxQuestion(text: "silence"),
                    expecting: BoxAnswer.self,
                    timeout: .seconds(4)
                )
            }
            #expect(world.now - begun >= .seconds(4) && world.now - begun < .seconds(5))
            // Garbage and half of a message are skipped.
            box.notify([0x00, 0x02, 0x7B, 0x22], on: "1B02")
            let answer = try await channel.request(
                BoxQuestion(text: "now"),
                expecting: BoxAnswer.self
            )
            #expect(answer == BoxAnswer(text: "now? yes"))
        }
    }
}
