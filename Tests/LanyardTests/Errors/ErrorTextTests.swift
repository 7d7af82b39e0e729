// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing

@testable import Lanyard

/// Samples of errors, and failures of every kind.
private enum Samples {
    static let failures: [LinkFailure] =
        LinkFailure.Kind.everyKind.map { LinkFailure($0, code: .link(7), "debugText(code: 7)") }

    static let slots = OutOfConnectionSlots(
        limit: 3,
        holders: [
            holder("Left strap"), holder("Lamp"), holder(nil),
        ]
    )

    private static func holder(_ name: String?) -> ConnectionHolder {
        var holder = ConnectionHolder(identity: .system(UUID()), priority: 0)
        holder.name = name
        return holder
    }

    static let accessoryErrors: [AccessoryError] =
        [
            .unsupported, .unauthorized, .unfilteredScan, .shutDown, .unknownKind("lamp"),
            .notFound(after: .seconds(10)), .connectingTimedOut(after: .milliseconds(500)),
            .stepTimedOut(.subscribing, after: .seconds(1)), .notPaired,
            .outOfConnectionSlots(slots), .abandoned(.lost(failures[0])),
            .abandoned(.resting(.unknownToSystem)), .notConnected,
            .unknownCharacteristic("2A37"), .notPermitted("2A38"),
            .refused(code: 5, text: "Authentication is insufficient."),
            .refused(code: nil, text: "the system refused"),
            .malformed("2A37", .truncated(needed: 2, available: 1)),
            .requestTimedOut(after: .seconds(30)), .tooManyRequests(limit: 256),
            .tooLong(length: 30, maximum: 20), .tooManyWrites(limit: 128),
            .writeInterrupted(sent: 1, of: 2), .linkEnded, .notErased, .servicesChanged, .cancelled,
        ] + failures.map { .attemptFailed($0) }

    static let messageErrors: [MessageError] = [
        .timeout, .cancelled, .disconnected, .closed, .tooLarge(count: 2, limit: 1), .unframeable,
        .unencodable("a number is not finite"), .undecodable(text: "{"),
        .remoteError("no such file"), .queueFull,
        .notSent("\(AccessoryError.notPermitted("2A38"))"),
        .sealing("the session is not ready"),
    ]

    static let sealingErrors: [SealingError] = [
        .refused, .replayed, .keyLength(3), .keySizesDiffer, .keysAreEqual, .weakDerivation,
        .randomCount(2_000_000),
        .sessionNotReady, .sessionExhausted, .cannotRotate, .messageTooLong,
    ]

    static let others: [any LocalizedError] = [
        slots, MessageRefusal("no such file"), ValueError.truncated(needed: 2, available: 1),
        ValueError.trailing(count: 1), ValueError.invalid(field: "flags"),
        AccessoryStoreFailure(operation: "write", path: "/accessories.json", code: 28),
        FlightRecording.Failure.unknownFormat, FlightRecording.Failure.malformedLine(3),
        FlightRecording.Failure.tooLong,
    ]

    static let peripheralErrors: [PeripheralError] = [
        .unknownCharacteristic("2A37"), .notSubscribed("2A37"), .tooLong(length: 30, maximum: 20),
        .tooManyUpdates(limit: 256), .notDelivered, .closed, .cancelled,
    ]

    static var all: [any LocalizedError] {
        accessoryErrors + messageErrors + sealingErrors + peripheralErrors + others
    }
}

extension LinkFailure.Kind {
    fileprivate static let everyKind: [Self] = [
        .linkLoss, .remoteClosed, .ownCancel, .unpaired, .encryptionFailed, .tooManyBonds,
        .attemptFailed, .timeout, .capacity, .unsupported, .incomplete, .notPaired, .refused,
        .unknown,
    ]
}

@Suite("The texts of errors for a screen")
struct ErrorTextTests {
    @Test("The texts of the sample errors are sentences, without text for developers")
    func sentences() throws {
        for error in Samples.all {
            let texts = [error.errorDescription, error.failureReason, error.recoverySuggestion]
            #expect(error.errorDescription?.isEmpty == false, "\(error)")
            #expect(error.localizedDescription == error.errorDescription)
            for text in texts.compactMap(\.self) {
                #expect(text.first?.isUppercase == true || text.first?.isNumber == true, "\(text)")
                #expect(text.hasSuffix(".") && !text.hasSuffix(".."), "\(text)")
                for debug in [
                    "Lanyard.", "debugText", "code:", "after:", "Optional", "nil", "system:",
                ] {
                    #expect(!text.contains(debug), "\(text)")
                }
            }
        }
    }

    @Test("Every sample error except a cancellation states a reason or a remedy")
    func remedies() {
        for error in Samples.all {
            let isExplained = error.failureReason != nil || error.recoverySuggestion != nil
            let isCancelled =
                error as? AccessoryError == .cancelled || error as? MessageError == .cancelled
                || error as? PeripheralError == .cancelled
            #expect(isExplained != isCancelled, "\(error)")
        }
    }

    @Test("The texts of a lost bond advise pairing again, as an error, a reason and a state")
    func lostBond() {
        let failure = LinkFailure(CBError(.peerRemovedPairingInformation))
        let change = AccessoryChange(.idle, .resting(.failed(failure)))
        for text in [
            AccessoryError.attemptFailed(failure).recoverySuggestion,
            AccessoryError.abandoned(.lost(failure)).recoverySuggestion,
            AccessoryError.notPaired.recoverySuggestion, failure.recoverySuggestion,
            ChangeReason.notPaired(failure).recoverySuggestion,
            IdleReason.failed(failure).recoverySuggestion, change.recoverySuggestion,
        ] {
            #expect(text?.hasPrefix("Pair it again") == true, "\(text ?? "none")")
        }
    }

    @Test("The text of a failure has no period before its code")
    func failureCode() {
        let failure = LinkFailure(.linkLoss, code: .link(6), "The connection has timed out.")
        #expect("\(failure)" == "The connection has timed out (CBError 6)")
        #expect(
            "\(ChangeReason.lost(failure))"
                == "It was lost: The connection has timed out (CBError 6)."
        )
    }

    @Test("Texts contain the names of characteristics and accessories")
    func names() {
        #expect(
            AccessoryError.unknownCharacteristic("2A37").failureReason
                == "It lacks Heart Rate Measurement (2A37), or the app did not describe it."
        )
        #expect(
            AccessoryError.outOfConnectionSlots(Samples.slots).failureReason
                == "Connected: Left strap, Lamp, 1 without a name."
        )
        #expect("\(Samples.slots)" == "all 3 connection slots are taken: Left strap, Lamp, 1 other")
    }

    @Test("The printed error is the description with the reason")
    func printed() {
        #expect(
            "\(AccessoryError.notFound(after: .seconds(10)))"
                == "No accessory was found. None was discovered within 10 seconds."
        )
        #expect(
            "\(MessageError.timeout)" == "The answer did not arrive. The other side took too long."
        )
    }

    @Test(
        "Durations are in words",
        arguments: [
            (Duration.seconds(1), "1 second"), (.milliseconds(500), "0.5 seconds"),
            (.seconds(10), "10 seconds"), (.milliseconds(1_250), "1.25 seconds"),
            (.zero, "0 seconds"),
        ]
    )
    func durations(duration: Duration, text: String) {
        #expect(duration.inWords == text)
    }

    @Test("A program ends with one line that names the remedy, and the exit code of the cause")
    func program() {
        let line = Lanyard.line(for: AccessoryError.unsupported)
        #expect(line.contains("Bluetooth Low Energy is not available."))
        #expect(!line.contains("\n"))
        #if os(Linux)
            #expect(line.contains("LANYARD_ADAPTER") && line.contains("lanyard doctor"))
        #endif
        #expect(Lanyard.exitCode(for: AccessoryError.unsupported) == 69)
        #expect(Lanyard.exitCode(for: AccessoryError.unauthorized) == 77)
        #expect(Lanyard.exitCode(for: MessageError.timeout) == 1)
        #expect(Lanyard.line(for: CancellationError()) == "CancellationError()")
    }

    #if os(Linux)
        @Test(
            "On Linux, the advice about a bond names the command that removes it",
            arguments: [
                LinkFailure.Kind.unpaired, .encryptionFailed, .notPaired, .tooManyBonds,
            ]
        )
        func bonds(_ kind: LinkFailure.Kind) {
            let advice = LinkFailure(kind, "").recoverySuggestion
            #expect(advice?.contains("lanyard bonds remove") == true)
            #expect(advice?.contains("settings") == false)
        }
    #endif

    @Test("An error contains the failure of its link")
    func failure() {
        let failure = LinkFailure(.unpaired, "The keys are lost.")
        #expect(AccessoryError.attemptFailed(failure).failure == failure)
        #expect(AccessoryError.abandoned(.resting(.failed(failure))).failure == failure)
        #expect(AccessoryError.abandoned(.resting(.disconnected)).failure == nil)
        #expect(AccessoryError.notPaired.failure == nil)
        #expect(ChangeReason.systemReconnects(failure).failure == failure)
        #expect(ChangeReason.resting(.neverPaired).failure == nil)
    }

    @Test("A program that throws exits with the code, and one that returns continues")
    func exits() async {
        await #expect(processExitsWith: .exitCode(69)) {
            await Lanyard.run { throw AccessoryError.unsupported }
        }
        await #expect(processExitsWith: .exitCode(3)) {
            await Lanyard.run {}
            exit(3)
        }
    }

    @Test("An unknown error has its own kind, and a screen shows that the reason is unknown")
    func unknown() {
        struct UnknownError: Error {}
        let failure = LinkFailure(UnknownError())
        #expect(failure.kind == .unknown)
        #expect(AccessoryError.attemptFailed(failure).failureReason == "The reason is unknown.")
    }
}
