// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothPort

// Scanning and connecting.
extension CompositeAdapter {
    package func startScan(
        _ scan: PortScan,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> RequestIdentifier {
        let id = takeRequest()
        var group = Group()
        if !scan.reportsDuplicates { group.duplicates = DuplicateFilter() }
        state.withLock { $0.scans[id] = group }
        for (index, radio) in radios.enumerated() {
            let member = radio.port.startScan(scan) { [weak self] error in
                self?.scanFailed(id, on: index, error, failed)
            }
            state.withLock { $0.scans[id]?.members[index] = member }
        }
        return id
    }

    private func scanFailed(
        _ id: RequestIdentifier,
        on radio: Int,
        _ error: any Error,
        _ failed: @Sendable (any Error) -> Void
    ) {
        let isLast = state.withLock { state in
            guard state.scans[id]?.members.removeValue(forKey: radio) != nil,
                state.scans[id]?.members.isEmpty == true
            else { return false }
            state.scans[id] = nil
            return true
        }
        if isLast { failed(error) }
    }

    package func endScan(_ scan: RequestIdentifier) {
        let members = state.withLock { $0.scans.removeValue(forKey: scan)?.members ?? [:] }
        for (radio, member) in members { radios[radio].port.endScan(member) }
    }

    /// Handles an advertising report from a radio. A scan without duplicates passes each discovery
    /// on once, from the radio that reports it first. A scan with duplicates passes on only the
    /// reports of the radio that receives the device best.
    func advertised(_ advertisement: Advertisement, scan: RequestIdentifier, on radio: Int) {
        let peer = identifier(of: advertisement.address)
        let (scans, isSurvey) = state.withLock { state in
            let isSurvey = state.survey[radio] == scan
            let isBest = state.core.received(peer, by: radio, advertisement.rssi, now: now)
            let scans = state.scans.filter { $0.value.members[radio] == scan }.map(\.key)
            return (scans.filter { state.admits(advertisement, $0, isBest: isBest) }, isSurvey)
        }
        for scan in scans { tell(.advertised(scan: scan, advertisement)) }
        if isSurvey { setTimer() }
    }

    package func connect(
        to peer: PeerIdentifier,
        failed: @escaping @Sendable (PortError) -> Void
    ) -> RequestIdentifier {
        let id = takeRequest()
        let actions = state.withLock { state in
            state.failures[id] = failed
            state.attempts[id] = [:]
            return state.core.connectionRequested(id, to: peer, now: now)
        }
        perform(actions)
        return id
    }

    package func cancelConnectionRequest(_ request: RequestIdentifier) {
        let (attempts, actions) = state.withLock { state in
            let actions = state.core.connectionCanceled(request)
            state.failures[request] = nil
            return (state.attempts[request] ?? [:], actions)
        }
        // Canceling an attempt also ends a link that the attempt has made, but not reported yet.
        for (radio, attempt) in attempts { radios[radio].port.cancelConnectionRequest(attempt) }
        state.withLock { state in
            if !state.requestsOfLinks.values.contains(request) { state.attempts[request] = nil }
        }
        perform(actions.filter { if case .cancel = $0 { false } else { true } })
    }

    func takeRequest() -> RequestIdentifier {
        state.withLock { state in
            state.lastRequest += 1
            return RequestIdentifier(rawValue: state.lastRequest)
        }
    }
}

// The actions of the core.
extension CompositeAdapter {
    func perform(_ actions: [RadioCore.Action]) {
        for action in actions { perform(action) }
        setTimer()
    }

    private func perform(_ action: RadioCore.Action) {
        switch action {
        case .begin(let request, let peer, let radio): begin(request, peer, radio)
        case .cancel(let request, let radio):
            let attempt = state.withLock { $0.attempts[request]?.removeValue(forKey: radio) }
            if let attempt { radios[radio].port.cancelConnectionRequest(attempt) }
        case .fail(let request, let error):
            let failed = state.withLock { state in
                state.attempts[request] = nil
                return state.failures.removeValue(forKey: request)
            }
            // The closure is called later, so that it never runs before `connect` has returned.
            if let failed { executor.perform { failed(error) } }
        case .survey(let isOn): survey(isOn)
        case .read(let link): readSignal(of: link)
        case .disconnect(let link): begin(.disconnect, on: link) { _ in }
        }
    }

    private func begin(_ request: RequestIdentifier, _ peer: PeerIdentifier, _ radio: Int) {
        // The observer may have canceled the request since the core returned this action.
        guard state.withLock({ $0.core.requests[request]?.attempts.contains(radio) == true })
        else { return }
        let attempt = radios[radio].port.connect(to: peer) { [weak self] error in
            guard let self else { return }
            let actions = state.withLock { state in
                guard state.attempts[request]?.removeValue(forKey: radio) != nil else {
                    return [RadioCore.Action]()
                }
                return state.core.attemptFailed(request, radio: radio, error, now: now)
            }
            perform(actions)
        }
        state.withLock { $0.attempts[request, default: [:]][radio] = attempt }
    }

    private func survey(_ isOn: Bool) {
        let members = state.withLock { state in
            defer { state.survey = [:] }
            return state.survey
        }
        for (radio, scan) in members { radios[radio].port.endScan(scan) }
        guard isOn else { return }
        for (index, radio) in radios.enumerated() {
            let scan = radio.port.startScan(PortScan(reportsDuplicates: true)) { _ in
                // If this radio cannot scan, the survey continues with the others. It has a time
                // limit.
            }
            state.withLock { $0.survey[index] = scan }
        }
    }

    private func readSignal(of link: LinkIdentifier) {
        begin(.readRSSI, on: link) { [weak self] result in
            guard let self else { return }
            let reading: Int? =
                if case .success(.rssi(let signal)) = result { signal } else { nil }
            perform(state.withLock { $0.core.signalRead(reading, of: link, now: now) })
        }
    }

    func timerFired() {
        perform(state.withLock { $0.core.deadlinePassed(now: now) })
    }

    func setTimer() {
        let (timer, deadline) = state.withLock { ($0.timer, $0.core.nextDeadline) }
        timer?.set(to: deadline)
    }
}

extension CompositeAdapter.State {
    /// Returns whether a scan passes an advertising report on to the application.
    fileprivate mutating func admits(
        _ advertisement: Advertisement,
        _ scan: RequestIdentifier,
        isBest: Bool
    ) -> Bool {
        guard scans[scan]?.duplicates != nil else { return isBest }
        return scans[scan]?.duplicates?.isNew(advertisement) ?? false
    }
}
