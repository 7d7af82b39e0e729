// SPDX-License-Identifier: Apache-2.0

// Devices for the virtual radio: beacons that only advertise, and accessories that accept
// connections, reads, writes and subscriptions.
//
// Each device is a `ScriptedHost`, a host as a value: its inputs are the packets of its controller
// and deadlines, and its outputs are packets to its controller. The world handles these inputs as
// it handles its other events, so a device is as reproducible as the radio, and needs no CPU time
// while no event is due. A `Beacon` starts its controller, sets its advertising data, and then
// sends nothing more. A `SimpleAccessory` is a peripheral with the GATT server of the host. It
// advertises, serves one central at a time, and advertises again when the central has disconnected.
//
// A `SimpleAccessoryProfile` defines an accessory: its services and their values, the values that
// it streams to subscribed clients, and its reactions to writes. The accessories encode frames, ATT
// PDUs and advertising data with the codecs with which the host decodes them. A codec error could
// therefore go unnoticed here, so interoperability tests also decode this data with third-party
// stacks. Accessories that pair use the host's Security Manager, and their simulated user consents
// to every pairing. All other accessories refuse pairing. `ExampleAccessories` has example devices.

// The interface of accessories uses UUIDs, properties, error codes and advertisements, so
// `import VirtualAccessories` is enough for a program that describes an accessory.
@_exported import BluetoothATT
@_exported import BluetoothGAP
@_exported import BluetoothGATT
@_exported import BluetoothSMP
@_exported import BluetoothTypes
