// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

/// A question of the daemon about a pairing that `pairingDelegate` has to answer, or digits that
/// `pairingDelegate` displays. The daemon asks one question at a time.
struct DaemonQuestion: Sendable {
    /// The serial number of the daemon's call to the agent.
    let serial: UInt32
    let device: DBusObjectPath
    let task: Task<Void, Never>
    /// The digits on display, and the timer that hides them. `nil` for a question that
    /// `pairingDelegate` has to answer.
    var display: (digits: UInt32, timer: any HostTimer)?
}

// The agent (org.bluez.Agent1), which answers the questions of pairings that this program starts.
// Another program's agent answers the questions of its own pairings, and the default agent answers
// all others. If no other program has an agent, the daemon makes this one the default.
extension BlueZAdapter {
    private static let rejected = "org.bluez.Error.Rejected"

    /// Registers the agent. Its capability states whether the person can see and enter digits at
    /// this time.
    func registerAgent() {
        guard let path = DBusObjectPath("/org/bluez"), let agent = DBusObjectPath(BlueZ.agentPath)
        else { return }
        let capability = pairingDelegate?.capability ?? .noInputNoOutput
        let arguments: [DBusValue] = [.objectPath(agent), .string(capability.rawValue)]
        send(BlueZ.call(path, BlueZ.Interface.agentManager, "RegisterAgent", arguments))
    }

    /// Handles a call to the agent: answers it, or asks `pairingDelegate` first.
    func answerAgent(_ call: DBusMessage, _ member: String) {
        switch member {
        case "Release", "Cancel":
            withdrawQuestion()
            reply(to: call)
        case "RequestAuthorization":
            ask(call, needsPerson: false) { await $0.consents(to: $1) ? [] : nil }
        case "RequestConfirmation":
            let digits = digits(of: call)
            ask(call) { await $0.confirms(digits, of: $1) ? [] : nil }
        case "RequestPasskey":
            ask(call) { await $0.enterDigits(for: $1).map { [.uint32($0)] } }
        case "DisplayPasskey": display(call)
        // The daemon makes the other calls for BR/EDR.
        default: refuse(call, Self.rejected)
        }
    }

    /// Displays digits until the pairing ends, the daemon withdraws or replaces them, or
    /// `pairingTimeout` has passed. The daemon repeats the call for each key that is pressed at the
    /// peer, and does not cancel the call when the pairing ends.
    private func display(_ call: DBusMessage) {
        reply(to: call)
        let digits = digits(of: call)
        guard let pairingDelegate, let (device, pairing) = pairing(of: call),
            question?.device != device || question?.display?.digits != digits
        else { return }
        withdrawQuestion()
        let task = Task { await pairingDelegate.show(digits, of: pairing) }
        let timer = thread.makeTimer { [weak self] in self?.onThread { $0.hideDigits(of: device) } }
        timer.set(to: thread.now + Self.pairingTimeout)
        question = DaemonQuestion(
            serial: call.serial,
            device: device,
            task: task,
            display: (digits, timer)
        )
    }

    /// Hides the digits that are on display for the device, if there are any.
    func hideDigits(of device: DBusObjectPath) {
        if question?.device == device, question?.display != nil { withdrawQuestion() }
    }

    private func digits(of call: DBusMessage) -> UInt32 {
        call.body.dropFirst().first?.integer.flatMap { UInt32(exactly: $0) } ?? 0
    }

    /// Asks `pairingDelegate` by calling `answer`, and replies to the daemon with the values that
    /// `answer` returns. For `nil`, the reply is a refusal.
    ///
    /// If `pairingDelegate` is `nil`, the reply accepts the pairing if `needsPerson` is `false` and
    /// this program started the pairing. Otherwise, it is a refusal.
    private func ask(
        _ call: DBusMessage,
        needsPerson: Bool = true,
        _ answer:
            @escaping @Sendable (any DaemonPairingDelegate, DaemonPairing) async -> [DBusValue]?
    ) {
        guard let (device, pairing) = pairing(of: call) else { return refuse(call, Self.rejected) }
        guard let pairingDelegate else {
            let isPermitted = !needsPerson && !pairing.isIncoming
            return isPermitted ? reply(to: call) : refuse(call, Self.rejected)
        }
        withdrawQuestion()
        let task = Task { [weak self] in
            let values = await answer(pairingDelegate, pairing)
            self?.thread.perform { [weak self] in self?.onThread { $0.answered(call, values) } }
        }
        question = DaemonQuestion(serial: call.serial, device: device, task: task)
    }

    private func answered(_ call: DBusMessage, _ values: [DBusValue]?) {
        // The daemon does not wait for the answer to a question that it has withdrawn.
        guard question?.serial == call.serial else { return }
        question = nil
        if let values { reply(to: call, values) } else { refuse(call, Self.rejected) }
    }

    /// Ends the open question.
    func withdrawQuestion() {
        question?.task.cancel()
        question?.display?.timer.set(to: nil)
        question = nil
    }

    /// Ends the open question if it is about this device.
    func withdrawQuestion(about device: DBusObjectPath) {
        if question?.device == device { withdrawQuestion() }
    }

    private func pairing(of call: DBusMessage) -> (DBusObjectPath, DaemonPairing)? {
        guard let path = call.body.first?.objectPath, let address = device(at: path)?.address else {
            return nil
        }
        let pairing = DaemonPairing(address: address, isIncoming: pairings[path] == nil)
        return (path, pairing)
    }
}
