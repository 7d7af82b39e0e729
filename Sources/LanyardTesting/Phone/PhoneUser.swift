// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import VirtualRadio

/// The user of a phone, who answers the dialogs of its pairings.
final class PhoneUser: PairingDelegate {
    private struct State {
        var answer: TestPhone.PairingAnswer?
        var dialogs: [TestPhone.PairingDialog] = []
    }

    /// The maximum number of dialogs that are kept. Beyond it, the oldest one is removed.
    static let dialogLimit = 1_000

    private let state = Lock(State())
    private let note: @Sendable (String) -> Void
    private let readDisplay: @Sendable () async -> PairingDigits?

    /// Creates the user of the phone with this controller.
    init(of name: String, with controller: ControllerID, in world: any AccessoryWorld) {
        note = { [story = world.story] text in story.note("\(name): \(text)") }
        readDisplay = { [weak world] in await world?.digits(on: controller) }
    }

    /// The answer to the next dialogs; `nil` if the phone shows none.
    var answer: TestPhone.PairingAnswer? {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }

    /// The latest dialogs, oldest first.
    var dialogs: [TestPhone.PairingDialog] { state.withLock { $0.dialogs } }

    func consents(to pairing: PairingRequest) async -> Bool { await agrees(to: .consent) }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        await agrees(to: .comparison(digits: digits.description))
    }

    func enterDigits(
        for pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> PairingDigits? {
        switch await answer(to: .entry) {
        case .accepts: await readDisplay()
        case .enters(let number): UInt32(exactly: number).flatMap { PairingDigits($0) }
        case .declines, .ignores: nil
        }
    }

    private func agrees(to dialog: TestPhone.PairingDialog) async -> Bool {
        switch await answer(to: dialog) {
        case .accepts, .enters: true
        case .declines, .ignores: false
        }
    }

    /// Shows a dialog. Returns the user's answer or, if the user ignores the dialog, waits until it
    /// ends.
    private func answer(to dialog: TestPhone.PairingDialog) async -> TestPhone.PairingAnswer {
        let answer = state.withLock { state in
            if state.dialogs.count == Self.dialogLimit { state.dialogs.removeFirst() }
            state.dialogs.append(dialog)
            return state.answer ?? .declines
        }
        note("\(dialog), and the user \(answer)")
        if answer == .ignores {
            // The host cancels the task when the pairing has ended.
            for await _ in AsyncStream(Void.self, { _ in }) {}
        }
        return answer
    }
}

extension AccessoryWorld {
    /// Returns the digits that an accessory connected to a phone displays.
    fileprivate func digits(on phone: ControllerID) async -> PairingDigits? {
        await ask { [self] in
            radio.status.links.lazy
                .filter { $0.central == phone }
                .compactMap { self.radio.screen(of: $0.peripheral) }
                .compactMap { UInt32($0).flatMap { PairingDigits($0) } }
                .first
        }
    }
}
