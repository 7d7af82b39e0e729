// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

// What the other side asks for.
extension MessageEngine {
    func add(_ service: MessageService) {
        guard !hasEnded else { return }
        services.append(service)
    }

    func removeService(_ number: Int) {
        services.removeAll { $0.number == number }
    }

    /// Works on a request of the other side.
    func serve(_ id: Int, _ body: Data) {
        serve(id, body) { [self] in
            exchange.reply(.refuse(id: id, "nobody here answers this"))
            report(.undecodable(text: quotation(of: body)))
        }
    }

    /// Has the first service work on a request that can make sense of it.
    @discardableResult
    func serve(_ id: Int, _ body: Data, orElse refuse: () -> Void) -> Bool {
        guard let job = job(for: body) else {
            refuse()
            return false
        }
        guard work.count < options.limits.answersAtOnce else {
            exchange.reply(.refuse(id: id, "too many requests at once"))
            return true
        }
        switch job {
        case .done(let answer): reply(to: id, answer)
        case .toDo(let job): begin(job, id)
        }
        return true
    }

    private func job(for body: Data) -> MessageService.Job? {
        for service in services {
            if let job = service.job(body) { return job }
        }
        return nil
    }

    /// Its task is started as what the timekeeper knows to be work, so that virtual time waits for it.
    private func begin(_ job: @escaping @Sendable () async -> MessageService.Answer, _ id: Int) {
        let (number, link) = (newNumber(), link)
        work[number] = Work()
        perform { engine in
            // The link may be gone already, and this with it.
            guard engine.work[number] != nil else { return }
            engine.work[number]?.task = Task {
                let answer = await job()
                engine.perform { $0.finished(number, link, id, answer) }
            }
        }
    }

    private func finished(_ number: Int, _ link: Int, _ id: Int, _ answer: MessageService.Answer) {
        guard work.removeValue(forKey: number) != nil, link == self.link else { return }
        reply(to: id, answer)
        pump()
    }

    private func reply(to id: Int, _ answer: MessageService.Answer) {
        switch answer {
        case .success(let body): exchange.reply(.answer(id: id, body))
        case .failure(let refusal):
            let reason = String(refusal.reason.prefix(options.limits.quotation))
            exchange.reply(.refuse(id: id, reason))
        }
    }
}
