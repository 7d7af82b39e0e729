// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

// The application's part in pairings: its delegate is asked in a task for each question, which is
// cancelled when nobody waits for the answer any more.
extension BluetoothHost {
    func perform(_ news: PairingNews, of link: LinkIdentifier) {
        guard let address = core.peer(of: link) else { return }
        let link = Link(host: self, identifier: link, address: address)
        switch news {
        case .asked(let question, let method, let isIncoming):
            let pairing = PairingRequest(link: link, method: method, isIncoming: isIncoming)
            ask(question, about: pairing)
        case .bondLost(let peer): askToPairAgain(with: peer, on: link.identifier)
        case .pressed(let keypress): tell(keypress, on: link.identifier)
        case .withdrawn: pairingQuestions.withdraw(link.identifier)
        }
    }

    /// The bonded peer of a link, once it has shown that it is; throws why the link ended if it has.
    package func bondedPeer(of link: LinkIdentifier) throws -> BondedPeer? {
        guard core.isOpen(link) else { throw pastEnd(of: link) }
        return core.provenBond(of: link).map(BondedPeer.init)
    }

    /// Where delegates run: on no thread of the host's own, since they may take their time; but on the
    /// executor that the caller has chosen, for that may be where the time is made.
    private var delegateExecutor: (any TaskExecutor)? {
        ownExecutor == nil ? executor.taskExecutor : nil
    }

    private func ask(_ question: Pairing.Question, about pairing: PairingRequest) {
        let link = pairing.link.identifier
        guard let delegate = configuration.pairingDelegate else {
            return core.answer(.no, on: link, now: executor.now)
        }
        let number = pairingQuestions.begin(on: link, of: pairing)
        let entry = DigitEntry { [weak self] keypress in
            self?.enter { $0.answer(.keypress(keypress), to: number, on: link) }
        }
        let task = Task(executorPreference: delegateExecutor) { [weak self] in
            guard let answer = await delegate.answer(to: question, of: pairing, entry) else {
                return
            }
            self?.enter { $0.answer(answer, to: number, on: link) }
        }
        pairingQuestions.add(task, on: link)
    }

    private func answer(_ answer: Pairing.Answer, to number: UInt64, on link: LinkIdentifier) {
        guard pairingQuestions.isOpen(number, on: link) else { return }
        core.answer(answer, on: link, now: executor.now)
        drain()
    }

    private func askToPairAgain(with peer: BondedPeer, on link: LinkIdentifier) {
        guard let delegate = configuration.pairingDelegate else {
            return core.answerBondLoss(false, on: link, now: executor.now)
        }
        let number = pairingQuestions.begin(on: link)
        let task = Task(executorPreference: delegateExecutor) { [weak self] in
            let pairsAgain = await delegate.pairsAgain(with: peer)
            self?.enter { host in
                guard host.pairingQuestions.isOpen(number, on: link) else { return }
                host.core.answerBondLoss(pairsAgain, on: link, now: host.executor.now)
                host.drain()
            }
        }
        pairingQuestions.add(task, on: link)
    }

    private func tell(_ keypress: Pairing.Keypress, on link: LinkIdentifier) {
        if let delegate = configuration.pairingDelegate,
            let (pairing, presses) = pairingQuestions.openPresses(on: link)
        {
            let task = Task(executorPreference: delegateExecutor) {
                for await keypress in presses { await delegate.peerPressed(keypress, of: pairing) }
            }
            pairingQuestions.add(task, on: link)
        }
        pairingQuestions.press(keypress, on: link)
    }
}

extension PairingDelegate {
    /// Puts a question. Nil if nobody waits for an answer.
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
