// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LinuxInterfaces
import ProcessTestSupport
import Synchronization
import Testing

@testable import HCITransports

/// The transport alone, on a pseudo terminal.
@Suite("A serial transport")
struct SerialTransportTests {
    /// An open transport, and its recorded events.
    private struct Harness {
        let uart: UART
        let controller: PlainController
        let executor: AdapterExecutor
        let transport: SerialTransport
        let events: Events

        func open() async throws(TransportError) {
            try await transport.open(on: executor, receive: { [events] in events.note($0) })
        }

        func close() async {
            await run { transport.close() }
            await uart.dismantle()
            executor.shutDown()
        }

        func run(_ body: @escaping @Sendable () -> Void) async {
            await withCheckedContinuation { done in
                executor.perform {
                    body()
                    done.resume()
                }
            }
        }
    }

    /// An answer timeout that passes only if the test skips it.
    private static let never = Duration.seconds(86_400)

    private func makeHarness(
        _ options: String,
        _ behavior: PlainController.Behavior,
        startSpeed: Int?,
        answerTimeout: Duration
    ) async throws -> Harness {
        let clock = SkippingClock()
        let executor = AdapterExecutor(clock: { clock.now })
        let controller = PlainController(behavior)
        let uart = try await UART(PseudoTerminal(), to: controller, on: executor)
        uart.whenMisunderstood { clock.skip(answerTimeout) }
        uart.line.speed = startSpeed
        controller.whenSpeedChanges { uart.line.speed = $0 ?? startSpeed }
        let line = try SerialLine("\(uart.terminal.path)\(options)"[...])
        return Harness(
            uart: uart,
            controller: controller,
            executor: executor,
            transport: SerialTransport(line, answerTimeout: answerTimeout),
            events: Events()
        )
    }

    private func withHarness(
        _ options: String = "@1000000",
        _ behavior: PlainController.Behavior = .init(),
        startSpeed: Int? = nil,
        answerTimeout: Duration = never,
        _ body: (Harness) async throws -> Void
    ) async throws {
        let harness = try await makeHarness(
            options,
            behavior,
            startSpeed: startSpeed,
            answerTimeout: answerTimeout
        )
        do { try await body(harness) } catch {
            await harness.close()
            throw error
        }
        await harness.close()
    }

    static let readVersion: [UInt8] = [0x01, 0x01, 0x10, 0x00]

    @Test("Bytes pass in both directions, without the answers to the transport's own probe")
    func bothWays() async throws {
        try await withHarness { harness in
            try await harness.open()
            #expect(harness.events.all.isEmpty)
            await harness.run { harness.transport.send([Self.readVersion]) }
            try await harness.events.wait { $0.bytes.count == 15 }
            #expect(harness.events.all.bytes.prefix(6) == [0x04, 0x0E, 0x0C, 0x01, 0x01, 0x10])
            #expect(harness.controller.received == [0x0C03, 0x1001, 0x1001])
        }
    }

    @Test(
        "The port is set up: raw, eight bits, the speed, and flow control",
        arguments: [true, false]
    )
    func settings(hasFlowControl: Bool) async throws {
        try await withHarness("@1234567" + (hasFlowControl ? "" : ",flow=none")) { harness in
            try await harness.open()
            let settings = try #require(harness.uart.terminal.settings)
            #expect(settings.c_ospeed == 1_234_567)
            #expect(settings.c_iflag == 0)
            #expect(settings.c_oflag == 0)
            #expect(settings.c_lflag == 0)
            #expect(settings.c_cflag & linux_CS8 == linux_CS8)
            #expect((settings.c_cflag & linux_CRTSCTS != 0) == hasFlowControl)
            #expect(harness.transport.speed == 1_234_567)
            #expect(harness.transport.notice == nil)
            #expect(harness.transport.losesBytes)
        }
    }

    @Test("A numeric speed replaces the speed code that a driver has set")
    func speedCodes() {
        var settings = linux_termios2()
        // B115200 for output and input, as a driver with a code for this speed sets it.
        settings.c_cflag = 0x1002 | 0x1002 << 16 | linux_CS8 | linux_CRTSCTS
        settings.setSpeed(921_600)
        #expect(settings.c_cflag == linux_BOTHER | linux_CS8 | linux_CRTSCTS)
        #expect(settings.c_ospeed == 921_600)
        #expect(settings.c_ispeed == 921_600)
    }

    @Test("A transport can be opened again after it was closed")
    func reopening() async throws {
        try await withHarness { harness in
            for round in 1...3 {
                try await harness.open()
                await harness.run { harness.transport.close() }
                try await harness.events.wait { $0.closings.count == round }
                #expect(harness.transport.speed == nil)
            }
            #expect(harness.events.all.closings == [nil, nil, nil])
        }
    }

    @Test("An open port is exclusive")
    func exclusive() async throws {
        try await withHarness { harness in
            try await harness.open()
            let path = harness.uart.terminal.path
            let other = SerialTransport(SerialLine(path: path, speed: 9_600))
            let error = await #expect(throws: TransportError.self) {
                try await other.open(on: harness.executor) { _ in }
            }
            guard case .serial(.inUse(path, let holders)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(holders.map(\.number).contains(Int(getpid())))
            await #expect(throws: TransportError.alreadyOpen(harness.transport.name)) {
                try await harness.open()
            }
            // The first transport is not affected.
            #expect(harness.uart.terminal.speed == 1_000_000)
            await harness.run { harness.transport.send([Self.readVersion]) }
            try await harness.events.wait { $0.bytes.count == 15 }
        }
    }

    @Test("A transport has released its port when it reports its end")
    func freeAtTheEnd() async throws {
        try await withHarness { harness in
            let line = SerialLine(path: harness.uart.terminal.path, speed: 9_600)
            let found = Mutex<Result<Void, SerialError>?>(nil)
            try await harness.transport.open(on: harness.executor) {
                [events = harness.events] event in
                if case .closed = event {
                    let result = Result { () throws(SerialError) in
                        _ = try SerialPort(line, speeds: [9_600])
                    }
                    found.withLock { $0 = result }
                }
                events.note(event)
            }
            await harness.run { harness.transport.close() }
            try await harness.events.wait { !$0.closings.isEmpty }
            guard case .success = found.withLock({ $0 }) else {
                Issue.record("\(String(describing: found.withLock { $0 }))")
                return
            }
        }
    }

    @Test("A released port can be opened again while its descriptor is still open")
    func freeAfterRelease() throws {
        let terminal = try PseudoTerminal()
        let line = SerialLine(path: terminal.path, speed: 9_600)
        let first = try SerialPort(line, speeds: [9_600])
        #expect(throws: SerialError.inUse(path: terminal.path, by: [])) {
            try SerialPort(line, speeds: [9_600])
        }
        first.release()
        let second = try SerialPort(line, speeds: [9_600])
        withExtendedLifetime((first, second)) {}
    }

    @Test("A silent line is an error with its speed, and its port is free afterward")
    func silence() async throws {
        try await withHarness(answerTimeout: .milliseconds(1)) { harness in
            harness.uart.line.isCut = true
            let path = harness.uart.terminal.path
            await #expect(throws: TransportError.serial(.noAnswer(path: path, speeds: [1_000_000])))
            {
                try await harness.open()
            }
            // Another transport can open the port.
            let line = SerialLine(path: path, speed: 1_000_000)
            let other = SerialTransport(line, answerTimeout: Self.never)
            harness.uart.line.isCut = false
            try await other.open(on: harness.executor) { _ in }
            await harness.run { other.close() }
        }
    }

    @Test("Opening ends when its task is canceled")
    func canceled() async throws {
        try await withHarness { harness in
            harness.uart.line.isCut = true
            let opening = Task { try await harness.open() }
            try await harness.uart.waitForHost()
            opening.cancel()
            await #expect(throws: TransportError.cancelled) { try await opening.value }
            #expect(harness.events.all.closings.isEmpty)
        }
    }

    @Test("An unplugged adapter is reported once")
    func unplugged() async throws {
        try await withHarness { harness in
            try await harness.open()
            await harness.uart.unplug()
            try await harness.events.wait { !$0.closings.isEmpty }
            #expect(harness.events.all.closings == [.adapterRemoved(harness.transport.name)])
            await harness.run { harness.transport.send([Self.readVersion]) }
            let path = harness.uart.terminal.path
            let error = await #expect(throws: TransportError.self) { try await harness.open() }
            guard case .serial(.noSuchDevice(path, _)) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("An adapter that is unplugged during opening is reported")
    func unpluggedEarly() async throws {
        try await withHarness { harness in
            harness.uart.line.isCut = true
            let opening = Task { try await harness.open() }
            try await harness.uart.waitForHost()
            await harness.uart.unplug()
            await #expect(throws: TransportError.adapterRemoved(harness.transport.name)) {
                try await opening.value
            }
        }
    }

    @Test(
        "A path that is not a serial port is refused",
        arguments: ["/dev/null", "/", "/etc/hostname"]
    )
    func notATerminal(path: String) async throws {
        let executor = AdapterExecutor()
        defer { executor.shutDown() }
        let transport = SerialTransport(SerialLine(path: path))
        await #expect(throws: TransportError.serial(.notATerminal(path: path))) {
            try await transport.open(on: executor) { _ in }
        }
    }

    @Test("The transport ends if too many bytes wait for the line")
    func overflow() async throws {
        try await withHarness { harness in
            try await harness.open()
            await harness.run {
                let packet = [UInt8](repeating: 0, count: 65_536)
                for _ in 0..<40 { harness.transport.send([packet]) }
            }
            try await harness.events.wait { !$0.closings.isEmpty }
            #expect(
                harness.events.all.closings
                    == [.outputOverflow(limit: ByteStream.pendingBytesLimit)]
            )
        }
    }
}

// MARK: - Speeds

extension SerialTransportTests {
    @Test("A controller at another speed is an error")
    func wrongSpeed() async throws {
        try await withHarness("@1000000", startSpeed: 115_200) { harness in
            await #expect(throws: TransportError.self) { try await harness.open() }
        }
    }

    @Test("The transport changes the controller's speed together with its own")
    func changesSpeed() async throws {
        try await withHarness("@921600,start=115200", startSpeed: 115_200) { harness in
            try await harness.open()
            #expect(harness.transport.speed == 921_600)
            #expect(harness.transport.notice == nil)
            #expect(harness.uart.terminal.speed == 921_600)
            await harness.run { harness.transport.send([Self.readVersion]) }
            try await harness.events.wait { $0.bytes.count == 15 }
            #expect(harness.controller.received.prefix(3) == [0x0C03, 0x1001, 0xFC18])
        }
    }

    @Test("A controller that kept its changed speed can be opened again")
    func leftBehind() async throws {
        try await withHarness("@921600,vendor=broadcom", startSpeed: 115_200) { harness in
            try await harness.open()
            await harness.run { harness.transport.close() }
            try await harness.events.wait { !$0.closings.isEmpty }
            #expect(harness.uart.line.speed == 921_600)
            try await harness.open()
            #expect(harness.transport.speed == 921_600)
        }
    }

    @Test("The line stays at the old speed if the new one fails, and the transport reports it")
    func staysSlow() async throws {
        var behavior = PlainController.Behavior()
        behavior.changesSpeed = false
        try await withHarness("@921600,start=115200", behavior, startSpeed: 115_200) { harness in
            try await harness.open()
            #expect(harness.transport.speed == 115_200)
            #expect(harness.uart.terminal.speed == 115_200)
            #expect(harness.transport.notice?.contains("stays at 115200") == true)
        }
    }

    @Test("The line stays at the old speed if a Reset undoes the new one")
    func undone() async throws {
        var behavior = PlainController.Behavior()
        behavior.resetUndoesSpeed = true
        try await withHarness("@921600,start=115200", behavior, startSpeed: 115_200) { harness in
            try await harness.open()
            #expect(harness.transport.speed == 115_200)
        }
    }

    @Test("The line stays at the old speed of a controller without a known command")
    func unknownVendor() async throws {
        var behavior = PlainController.Behavior()
        behavior.company = 0x05F1
        try await withHarness("@921600,start=115200", behavior, startSpeed: 115_200) { harness in
            try await harness.open()
            #expect(harness.transport.speed == 115_200)
            #expect(harness.transport.notice?.contains("0x05F1") == true)
        }
    }
}

/// The system's clock, advanced by the time that a test skips.
private final class SkippingClock: Sendable {
    private let skipped = Mutex(Duration.zero)

    var now: Instant { SystemClock.monotonic + skipped.withLock { $0 } }

    func skip(_ duration: Duration) { skipped.withLock { $0 += duration } }
}

/// The events of a transport.
final class Events: Sendable {
    struct Log: Sendable {
        var bytes: [UInt8] = []
        var closings: [TransportError?] = []

        var isEmpty: Bool { bytes.isEmpty && closings.isEmpty }
    }

    private let log = Mutex(Log())
    private let (changes, changed) = AsyncStream.makeStream(of: Void.self)

    var all: Log { log.withLock { $0 } }

    func note(_ event: TransportEvent) {
        log.withLock { log in
            switch event {
            case .received(let bytes): log.bytes += bytes
            case .closed(let error): log.closings.append(error)
            }
        }
        changed.yield()
    }

    /// Waits until the log fulfills `isMet`. Only one task may wait at a time.
    func wait(until isMet: @escaping @Sendable (Log) -> Bool) async throws {
        try await within(SerialHarness.limit, "the log") { [self] in
            if isMet(all) { return }
            for await _ in changes where isMet(all) { return }
        }
    }
}
