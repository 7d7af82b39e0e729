// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CoreBluetooth
    import Foundation

    extension AccessoryCentral.Configuration {
        /// The Bluetooth controller to use, or `nil` for the default one.
        public var adapter: CBAdapter? {
            get { (system as? CoreBluetoothSystem)?.adapter }
            set { system = CoreBluetoothSystem(adapter: newValue) }
        }

        /// Creates a configuration with an adapter, a clock and a seed.
        package init(
            name: String = "accessories",
            adapter: CBAdapter,
            timekeeper: any Timekeeper,
            seed: UInt64 = 1
        ) {
            self.init(name: name)
            self.adapter = adapter
            self.timekeeper = timekeeper
            self.seed = seed
        }
    }

    extension AccessoryPeripheral.Configuration {
        /// The Bluetooth controller to use, or `nil` for the default one.
        public var adapter: CBAdapter? {
            get { (system as? CoreBluetoothSystem)?.adapter }
            set { system = CoreBluetoothSystem(adapter: newValue) }
        }

        /// Creates a configuration with an adapter and a clock.
        package init(adapter: CBAdapter, timekeeper: any Timekeeper) {
            self.init()
            self.adapter = adapter
            self.timekeeper = timekeeper
        }
    }
#endif
