// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Requests of centrals, and answers of managers.
extension SharedAdapter {
    func asked(
        _ id: GATTServer.RequestID,
        _ question: GATTServer.Question,
        on link: LinkIdentifier
    ) {
        supersede(by: link)
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
        guard let characteristicID = server.tree.characteristicID(of: handle),
            let central = server.links.central(on: link)
        else {
            return refuse(id)
        }
        server.questions.ask(id, [characteristicID.session], on: link)
        let operation = ServedRequest.Operation.read(characteristicID, offset: offset)
        post(
            ServedRequest(central: central, operation: operation, requestID: id),
            to: characteristicID.session
        )
    }

    private func askedToWrite(
        _ entries: [GATT.WriteEntry],
        _ id: GATTServer.RequestID?,
        on link: LinkIdentifier
    ) {
        // Entries without a `PublishedCharacteristicID` are for attributes that belong to no
        // manager. The host writes them when the managers agree.
        let partLength = (server.links.mtu(of: link) ?? 0) - 5
        let writes = entries.flatMap { entry in
            server.tree.characteristicID(of: entry.handle).map {
                ServedRequest.Write(characteristicID: $0, entry: entry).parts(ofLength: partLength)
            } ?? []
        }
        let sessions = Set(writes.map(\.characteristicID.session))
        guard let central = server.links.central(on: link), !sessions.isEmpty else {
            if let id { refuse(id) }
            return
        }
        if let id { server.questions.ask(id, sessions, on: link) }
        for session in sessions.sorted() {
            let unit = writes.filter { $0.characteristicID.session == session }
            post(
                ServedRequest(central: central, operation: .write(unit), requestID: id),
                to: session
            )
        }
    }

    /// Posts a request. If the application is too slow, Write Commands are dropped, and requests
    /// are refused: each bearer has at most one, but a central may connect any number of times.
    private func post(_ request: ServedRequest, to session: SessionIdentifier) {
        let event = PeripheralManagerEvent.asked(request)
        let isPosted = server.sessions[session]?.delivery.post(
            event,
            from: executor,
            isDispensable: event.isDispensable
        )
        guard isPosted == false, let question = request.requestID else { return }
        answer(question, .failure(.insufficientResources), for: session)
    }

    /// Refuses a request that no manager can answer.
    func refuse(_ id: GATTServer.RequestID) {
        port.answer(id, .failure(.unlikelyError), at: nil)
    }

    /// Answers a request for a manager. Only the first answer counts.
    ///
    /// - Parameter handle: The attribute of the request that the application answered; `nil` for
    ///   the first attribute of the request.
    package func answer(
        _ id: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle? = nil,
        for session: SessionIdentifier
    ) {
        let agrees = if case .success = result { true } else { false }
        switch server.questions.answer(id, by: session, agrees: agrees) {
        case .settled: port.answer(id, result, at: handle)
        case .open: break
        case .unknown:
            Misuse.warn("The request is over: it was answered before, or its central has left")
        }
    }
}

extension ServedRequest.Write {
    /// Returns the write in parts of this length, if its value is too long for one request. Such a
    /// value arrived in prepared parts, which the host joined, and applications written for iPhones
    /// expect parts.
    fileprivate func parts(ofLength length: Int) -> [Self] {
        // A Write Request holds two bytes more than a Prepare Write Request.
        guard length > 0, entry.value.count > length + 2 else { return [self] }
        return stride(from: 0, to: entry.value.count, by: length).map { start in
            let part = GATT.WriteEntry(
                handle: entry.handle,
                offset: entry.offset + start,
                value: Array(entry.value.dropFirst(start).prefix(length))
            )
            return Self(characteristicID: characteristicID, entry: part)
        }
    }
}
