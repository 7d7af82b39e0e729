// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothPort
import Foundation
import HCITransports
import Synchronization
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite("Failures") struct FailureTests {
    @Test("The exit codes are those in the help")
    func exitCodes() {
        #expect(ProcessStatus.usage.rawValue == 64)
        #expect(ProcessStatus.badData.rawValue == 65)
        #expect(ProcessStatus.notFound.rawValue == 66)
        #expect(ProcessStatus.adapterUnavailable.rawValue == 69)
        #expect(ProcessStatus.inputOutput.rawValue == 74)
        #expect(ProcessStatus.timedOut.rawValue == 75)
        #expect(ProcessStatus.refused.rawValue == 77)
        #expect(ProcessStatus.incomplete.rawValue == 78)
        #expect(ProcessStatus.interrupted.rawValue == 130)
        for status in ProcessStatus.allCases {
            #expect(ProcessStatus.table.contains(status.meaning))
        }
    }

    @Test("A feature that the daemon's adapter lacks is not an error of this program")
    func missingFeature() {
        let failure = ProgramFailure(PortError.unsupported(.server), during: "publishing")
        #expect(failure.status == .adapterUnavailable)
        #expect(!failure.happened.contains("PortCapabilities"))
    }

    @Test("An unknown error of a canceled command means that it was interrupted")
    func canceled() async {
        struct Unknown: Error {}
        #expect(ProgramFailure(Unknown(), during: "a step").status == .internalError)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return ProgramFailure(Unknown(), during: "a step")
        }
        #expect(await task.value == .interrupted)
    }

    @Test(
        "An operation that must wait for an earlier one is refused with the advice to try again",
        arguments: [HostError.busy, .alreadyConnecting, .tooManyRequests]
    )
    func busy(error: HostError) {
        let failure = ProgramFailure(error, during: "changing the parameters")
        #expect(failure.status == .refused)
        #expect(failure.advice == "wait until it is done, and try again")
    }

    @Test(
        "The default limit of a link change allows for its connection events, and --timeout replaces it"
    )
    func changeLimit() {
        let limits = [nil, 2].map { StepLimits(seconds: $0) }
        let changes = limits.map { $0.changing(interval: .seconds(4), latency: 1) }
        #expect(changes == [.seconds(4 + 8 * 8), .seconds(2)])
    }

    @Test("Output that cannot be written is a failure with the remedy for its cause")
    func writing() {
        func failure(_ code: Int32) -> ProgramFailure {
            Console.failure(ofWriting: NSError(domain: NSPOSIXErrorDomain, code: Int(code)))
        }
        #expect(failure(EPIPE) == .outputClosed)
        #expect(failure(ENOSPC).advice == "free some space, or write elsewhere")
        #expect(failure(EBADF).advice == "write elsewhere")
        #expect(failure(EBADF).status == .inputOutput)
    }

    @Test("A failure is one line with the event and the remedy")
    func lines() {
        let failure = ProgramFailure(.refused, "writing: refused", advice: "try another value")
        #expect(failure.line == "lanyard: writing: refused; try another value")
        #expect(ProgramFailure.interrupted.line == "lanyard: interrupted")
    }

    @Test(
        "The failure of a GATT operation decides the exit code",
        arguments: [
            (.attribute(.writeNotPermitted, handle: .first), .refused),
            (.timedOut, .timedOut), (.bearerClosed, .inputOutput), (.cancelled, .interrupted),
            (.protocolViolation("x"), .badData), (.tooManyAttributes, .badData),
            (.echoMismatch(handle: .first), .badData), (.valueTooLong(limit: 20), .usage),
            (.queueFull, .internalError), (.invalidOperation("x"), .internalError),
        ] as [(GATT.Failure, ProcessStatus)]
    )
    func mapsGATTFailures(failure: GATT.Failure, status: ProcessStatus) {
        let mapped = ProgramFailure(failure, during: "reading")
        #expect(mapped.status == status)
        #expect(!mapped.line.contains("\n"))
    }

    @Test("Refusals have advice")
    func advises() {
        let failure = GATT.Failure.attribute(.insufficientEncryption, handle: .first)
        let line = ProgramFailure(failure, during: "reading 2A19").line
        #expect(
            line == "lanyard: reading 2A19: refused: Insufficient Encryption; "
                + "it needs a bond with more protection: see 'lanyard pair --help'"
        )
    }

    @Test(
        "The failure of a pairing decides the exit code",
        arguments: [
            (.refused(.authenticationRequirements), .refused), (.declined, .refused),
            (.refusedByPeer(.confirmValueFailed), .refused), (.timedOut, .timedOut),
            (.tooSoon(.seconds(2)), .refused), (.busy, .refused), (.notEncrypted, .refused),
            (.linkEnded, .inputOutput), (.cancelled, .interrupted),
        ] as [(Pairing.Failure, ProcessStatus)]
    )
    func mapsPairingFailures(failure: Pairing.Failure, status: ProcessStatus) {
        let mapped = ProgramFailure(failure, during: "pairing")
        #expect(mapped.status == status)
        #expect(!mapped.line.contains("\n"))
    }

    @Test(
        "For every reason, a refused pairing names the side that refused, and our refusal has advice",
        arguments: 0...255
    )
    func pairingReasons(byte: UInt8) {
        let reason = Pairing.FailureReason(rawValue: byte)
        let ours = ProgramFailure(Pairing.Failure.refused(reason), during: "pairing")
        let theirs = ProgramFailure(Pairing.Failure.refusedByPeer(reason), during: "pairing")
        #expect(ours.line.hasPrefix("lanyard: pairing: refused by the local device: "))
        #expect(!ours.advice.isEmpty)
        #expect(theirs.line.hasPrefix("lanyard: pairing: refused by the accessory: "))
    }

    @Test("If a pairing comes too soon, the advice contains the time to wait")
    func tooSoon() {
        let failure = ProgramFailure(Pairing.Failure.tooSoon(.milliseconds(2500)), during: "x")
        #expect(failure.advice == "try again in 2.5 s")
    }

    @Test("Durations are written in seconds")
    func describesSeconds() {
        #expect(SecondsText.describe(.seconds(4)) == "4 s")
        #expect(SecondsText.describe(.milliseconds(2500)) == "2.5 s")
        #expect(SecondsText.describe(.zero) == "0 s")
    }
}

@Suite("Time limits of steps") struct StepLimitsTests {
    @Test("The limit of --timeout holds for every step")
    func takesSeconds() {
        #expect(StepLimits(seconds: nil) == StepLimits())
        let limits = StepLimits(seconds: 1.5)
        #expect(limits.step == .milliseconds(1500) && limits.search == .milliseconds(1500))
    }

    @Test(
        "The default limit for opening a kernel's adapter includes its set-up, and --timeout replaces it"
    )
    func opensAdapters() {
        let adapter = AdapterChoice.reached(.hci(index: 0))
        #expect(StepLimits().opening(adapter) == .seconds(24))
        #expect(StepLimits().opening(.virtual(scenario: nil)) == StepLimits().step)
        #expect(StepLimits(seconds: 2).opening(adapter) == .seconds(2))
    }

    @Test("A step that succeeds returns its result")
    func succeeds() async throws {
        #expect(try await StepLimits().run("adding") { 1 + 1 } == 2)
    }

    @Test("A step without an answer ends at the limit, even if it ignores cancellation")
    func timesOut() async throws {
        let result: Void? = try await TimeLimit.run(.milliseconds(10)) { await Self.never() }
        #expect(result == nil)
    }

    @Test("The limit of a step starts again while a question is open")
    func isExcused() async throws {
        let questions = Mutex(3)
        let result: Void? = try await TimeLimit.run(
            .milliseconds(1),
            isExcused: {
                questions.withLock { questions in
                    questions -= 1
                    return questions > 0
                }
            },
            { await Self.never() }
        )
        #expect(result == nil && questions.withLock { $0 } == 0)
    }

    @Test("A step ends when its task is canceled")
    func isCanceled() async throws {
        let task = Task {
            try await StepLimits(seconds: 3600).run("waiting") { await Self.never() }
        }
        task.cancel()
        await #expect {
            try await task.value
        } throws: {
            ($0 as? ProgramFailure)?.status == .interrupted
        }
    }

    /// Never returns, even if the task is canceled.
    private static func never() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await Task.detached {
            for await _ in stream {}
            continuation.finish()
        }.value
    }
}
