// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

// The requests of the other side.
extension MessageEngine {
    func add(_ service: MessageService) {
        guard !hasEnded else { return }
        services.append(service)
    }

    func removeService(_ number: Int) {
        services.removeAll { $0.number == number }
    }

    /// Processes a request of the other side.
    func serve(_ id: Int, _ body: Data) {
        serve(id, body) { [self] in
            exchange.reply(.refuse(id: id, "no handler answers this request"))
            report(.undecodable(text: quotation(of: body)))
        }
    }

    /// Processes a request with the first service that can decode it. Returns `false` if there is
    /// none.
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

    /// Starts the task of a request through the timekeeper, so that virtual time does not advance
    /// before the task has started.
    private func begin(_ job: @escaping @Sendable () async -> MessageService.Answer, _ id: Int) {
        let (number, link) = (newNumber(), link)
        work[number] = Work()
        perform { engine in
            // The link, and with it the request, may have ended already.
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
            let reason = refusal.reason.quotation(limit: options.limits.quotation)
            exchange.reply(.refuse(id: id, reason))
        }
    }
}
