// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if os(Linux)
    /// An attempt to open the port of a serial line and to start its controller (`SerialStartUp`).
    ///
    /// The conformance is unchecked: only the executor's thread uses the object, which the calls of
    /// `executor.loop` check.
    final class SerialOpening: OpeningAttempt, DescriptorHandler, @unchecked Sendable {
        /// An open line, and the result of its startup.
        struct Opened: Sendable {
            let port: SerialPort
            let outcome: SerialStartUp.Outcome
        }

        typealias Outcome = Result<Opened, TransportError>

        private let executor: AdapterExecutor
        private let line: SerialLine
        private var startUp: SerialStartUp
        private var port: SerialPort?
        private var timer: (any HostTimer)?
        /// The completion, or `nil` before the start and after it was called.
        private var finished: (@Sendable (Outcome) -> Void)?
        private var isCancelled = false

        init(_ line: SerialLine, answerTimeout: Duration, executor: AdapterExecutor) {
            self.line = line
            self.executor = executor
            startUp = SerialStartUp(line, answerTimeout: answerTimeout)
        }

        func start(_ finished: @escaping @Sendable (Outcome) -> Void) {
            self.finished = finished
            guard !isCancelled else { return finish(.failure(.cancelled)) }
            do throws(SerialError) {
                let port = try SerialPort(line, speeds: startUp.openingSpeeds)
                self.port = port
                timer = executor.makeTimer { [weak self] in self?.timerFired() }
                executor.loop.watch(port.descriptor, readable: true, writable: false, self)
                perform(startUp.begin(now: executor.now))
            } catch {
                finish(.failure(.serial(error)))
            }
        }

        func cancel() {
            isCancelled = true
            finish(.failure(.cancelled))
        }

        func loopEnded() {
            cancel()
        }

        func descriptorReady(readable: Bool, writable: Bool) {
            guard let port else { return }
            do throws(SystemError) {
                let bytes = try executor.loop.read(port.descriptor)
                guard !bytes.isEmpty else {
                    return finish(.failure(.adapterRemoved(line.description)))
                }
                perform(startUp.receive(bytes[...], now: executor.now))
            } catch {
                if !error.isTemporary { finish(.failure(.adapterRemoved(line.description))) }
            }
        }

        private func timerFired() {
            guard finished != nil else { return }
            perform(startUp.deadlinePassed(now: executor.now))
        }

        private func perform(_ actions: [SerialStartUp.Action]) {
            for action in actions {
                guard let port, finished != nil else { return }
                switch action {
                // If the device does not accept the complete packet, the controller does not
                // answer. The deadline of the startup then passes.
                case .send(let packet):
                    packet.withUnsafeBytes { _ = systemWrite(port.descriptor, $0) }
                case .setSpeed(let speed):
                    do throws(SerialError) {
                        try port.setSpeed(speed)
                    } catch {
                        finish(.failure(.serial(error)))
                    }
                case .finish(let outcome):
                    finish(.success(Opened(port: port, outcome: outcome)))
                case .fail(let speeds):
                    finish(.failure(.serial(.noAnswer(path: line.path, speeds: speeds))))
                }
            }
            timer?.set(to: finished == nil ? nil : startUp.nextDeadline)
        }

        private func finish(_ outcome: Outcome) {
            guard let finished else { return }
            self.finished = nil
            timer?.set(to: nil)
            if let port {
                executor.loop.unwatch(port.descriptor)
                if case .failure = outcome { port.release() }
            }
            port = nil
            finished(outcome)
        }
    }
#endif
