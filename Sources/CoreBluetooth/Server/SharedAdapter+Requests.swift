// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

// What centrals ask for, and what managers answer.
extension SharedAdapter {
    func asked(
        _ id: GATTServer.RequestID,
        _ question: GATTServer.Question,
        on link: LinkIdentifier
    ) {
        switch question {
        case .read(_, let handle, let offset): askedToRead(handle, from: offset, id, on: link)
        case .write(_, let entries, let needsAnswer):
            askedToWrite(entries, needsAnswer ? id : nil, on: link)
        }
    }

    private func askedToRead(
        _ handle: AttributeHandle,
        from offset: Int,
        _ id: GATTServer.RequestID,
        on link: LinkIdentifier
    ) {
        guard let place = server.tree.place(of: handle), let central = server.links[link] else {
            return onHost { $0.answer(id, .failure(.unlikelyError)) }
        }
        server.questions.ask(id, [place.session], on: link)
        let wish = ServedRequest.Wish.read(place, offset: offset)
        post(.asked(.init(central: central, wish: wish, question: id)), to: place.session)
    }

    private func askedToWrite(
        _ entries: [GATT.WriteEntry],
        _ id: GATTServer.RequestID?,
        on link: LinkIdentifier
    ) {
        // What has no place is the host's to write, once the managers agree.
        let partLength = (server.links[link]?.maximumUpdateValueLength ?? 0) - 2
        let writes = entries.flatMap { entry in
            server.tree.place(of: entry.handle).map {
                ServedRequest.Write(place: $0, offset: entry.offset, value: entry.value)
                    .parts(ofLength: partLength)
            } ?? []
        }
        let sessions = Set(writes.map(\.place.session))
        guard let central = server.links[link], !sessions.isEmpty else {
            if let id { onHost { $0.answer(id, .failure(.unlikelyError)) } }
            return
        }
        if let id { server.questions.ask(id, sessions, on: link) }
        for session in sessions.sorted() {
            let unit = writes.filter { $0.place.session == session }
            post(ServedRequest(central: central, wish: .write(unit), question: id), to: session)
        }
    }

    /// Commands may be lost on an application that is too slow; requests may not, and each bearer has
    /// one at most.
    private func post(_ request: ServedRequest, to session: SessionIdentifier) {
        server.sessions[session]?.delivery.post(
            .asked(request),
            from: host.executor,
            isDispensable: request.question == nil
        )
    }

    /// A manager answers: the first answer counts.
    func answer(
        _ id: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        for session: SessionIdentifier
    ) {
        let agrees = if case .success = result { true } else { false }
        switch server.questions.answer(id, by: session, agrees: agrees) {
        case .settled: onHost { $0.answer(id, result) }
        case .open: break
        case .unknown:
            Misuse.warn("A request was answered that is over: answered before, or its central gone")
        }
    }
}

extension ServedRequest.Write {
    /// What is too long for one request came prepared, in parts of this length, and applications that
    /// know phones expect it in parts; the host has put them together.
    fileprivate func parts(ofLength length: Int) -> [Self] {
        // A write request holds two octets more than one that prepares.
        guard length > 0, value.count > length + 2 else { return [self] }
        return stride(from: 0, to: value.count, by: length).map { start in
            let end = min(start + length, value.count)
            return Self(place: place, offset: offset + start, value: Array(value[start..<end]))
        }
    }
}
