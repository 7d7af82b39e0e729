// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import HCITransports

// The application's part in pairings. The host asks the delegate each question in a separate task,
// and cancels the task when the question ends.
extension BluetoothHost {
    func perform(_ event: PairingEvent, of link: LinkIdentifier) {
        if case .ended(let peer, let result) = event {
            return report(result, on: Link(host: self, identifier: link, address: peer))
        }
        guard let address = core.peer(of: link) else { return }
        let link = Link(host: self, identifier: link, address: address)
        switch event {
        case .asked(let question, let method, let isIncoming):
            let pairing = PairingRequest(
                id: pairingQuestions.makeID(),
                address: link.address,
                link: link,
                method: method,
                isIncoming: isIncoming
            )
            ask(question, about: pairing, on: link.identifier)
        case .bondLost(let peer): askToPairAgain(with: peer, on: link)
        case .pressed(let keypress): reportKeypress(keypress, on: link.identifier)
        case .withdrawn: pairingQuestions.withdraw(link.identifier)
        case .ended: break
        }
    }

    /// Reports the end of a pairing to the delegate, in a separate task that is never canceled.
    private func report(_ result: Result<LinkSecurity, any Error>, on link: Link) {
        guard let delegate = configuration.pairingDelegate else { return }
        Task(preferring: delegateExecutor) {
            await delegate.pairingEnded(on: link, with: result)
        }
    }

    /// Returns the bonded peer of a link once the peer has proved its identity. Throws the reason
    /// why the link ended if it is not open.
    package func bondedPeer(of link: LinkIdentifier) throws -> BondedPeer? {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        return core.verifiedBond(of: link).map(BondedPeer.init)
    }

    /// The executor of delegates; `nil` for Swift's shared thread pool. Delegates do not run on the
    /// host's own thread, because they may block. If the application has given the host an
    /// executor, delegates run on that executor, because it may control virtual time.
    private var delegateExecutor: (any HostExecutor)? {
        ownExecutor == nil ? executor : nil
    }

    private func ask(
        _ question: Pairing.Question,
        about pairing: PairingRequest,
        on link: LinkIdentifier
    ) {
        guard let delegate = configuration.pairingDelegate else {
            return core.answer(.no, on: link, now: executor.now)
        }
        let id = pairing.id
        pairingQuestions.open(id, on: link, of: pairing)
        let entry = DigitEntry { [weak self] keypress in
            self?.execute { host in
                guard host.pairingQuestions.isOpen(id, on: link) else { return }
                host.core.answer(.keypress(keypress), on: link, now: host.executor.now)
                host.drain()
            }
        }
        let task = Task(preferring: delegateExecutor) { [weak self] in
            guard let answer = await delegate.answer(to: question, of: pairing, entry) else {
                return
            }
            self?.execute { host in
                guard host.pairingQuestions.close(id, on: link) else { return }
                host.core.answer(answer, on: link, now: host.executor.now)
                host.drain()
            }
        }
        pairingQuestions.add(task, on: link)
    }

    private func askToPairAgain(with peer: BondedPeer, on link: Link) {
        let identifier = link.identifier
        guard let delegate = configuration.pairingDelegate else {
            return core.answerBondLoss(false, on: identifier, now: executor.now)
        }
        let id = pairingQuestions.makeID()
        pairingQuestions.open(id, on: identifier)
        let task = Task(preferring: delegateExecutor) { [weak self] in
            let pairsAgain = await delegate.pairsAgain(with: peer, on: link)
            self?.execute { host in
                guard host.pairingQuestions.close(id, on: identifier) else { return }
                host.core.answerBondLoss(pairsAgain, on: identifier, now: host.executor.now)
                host.drain()
            }
        }
        pairingQuestions.add(task, on: identifier)
    }

    private func reportKeypress(_ keypress: Pairing.Keypress, on link: LinkIdentifier) {
        if let delegate = configuration.pairingDelegate,
            let (pairing, presses) = pairingQuestions.openPresses(on: link)
        {
            let task = Task(preferring: delegateExecutor) {
                for await keypress in presses { await delegate.peerPressed(keypress, of: pairing) }
            }
            pairingQuestions.add(task, on: link)
        }
        pairingQuestions.press(keypress, on: link)
    }
}

extension PairingDelegate {
    /// Asks the delegate a question. Returns `nil` if the question needs no answer.
    fileprivate func answer(
        to question: Pairing.Question,
        of pairing: PairingRequest,
        _ entry: DigitEntry
    ) async -> Pairing.Answer? {
        switch question {
        case .consent: return await consents(to: pairing) ? .yes : .no
        case .confirm(let number):
            guard let digits = PairingDigits(number) else { return .no }
            return await confirms(digits, of: pairing) ? .yes : .no
        case .display(let number):
            if let digits = PairingDigits(number) { await show(digits, of: pairing) }
            return nil
        case .enterPasskey:
            return await enterDigits(for: pairing, entry).map { .passkey($0.value) } ?? .no
        }
    }
}
